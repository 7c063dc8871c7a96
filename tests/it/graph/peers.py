"""What networkx makes of graphs of many kinds: their links as files in a folder, what it finds as JSON."""
import json
import sys
import networkx as nx

folder = sys.argv[1]


def with_both_ways(graph):
    return nx.MultiDiGraph(nx.DiGraph(graph))


def graphs():
    yield "karate", with_both_ways(nx.karate_club_graph())
    yield "novel", with_both_ways(nx.les_miserables_graph())
    yield "attached", nx.MultiDiGraph(nx.DiGraph(sorted(nx.barabasi_albert_graph(1500, 3, seed=3).edges())))
    # Repeated links, links of nodes to themselves, and many nodes without a link out.
    yield "scale-free", nx.MultiDiGraph(nx.scale_free_graph(2000, seed=5))
    yield "random", nx.MultiDiGraph(nx.gnp_random_graph(400, 0.004, seed=7, directed=True))
    yield "small-world", with_both_ways(nx.connected_watts_strogatz_graph(500, 6, 0.2, seed=9))
    yield "copied", nx.MultiDiGraph(nx.gn_graph(600, seed=11))
    yield "star", nx.MultiDiGraph([(leaf, 0) for leaf in range(1, 40)])
    yield "lollipop", with_both_ways(nx.lollipop_graph(12, 30))


def bow_tie(graph):
    """By who reaches whom; the first of several largest cores is not asked for."""
    core = max(nx.strongly_connected_components(graph), key=len)
    some = next(iter(core))
    out = nx.descendants(graph, some) - core
    into = nx.ancestors(graph, some) - core
    return {"core": len(core), "in": len(into), "out": len(out)}


found = {}
for name, many in graphs():
    many = nx.relabel_nodes(many, lambda node: f"n{node}".replace(" ", "_"))
    many.remove_nodes_from([node for node in list(many) if many.degree(node) == 0])
    with open(f"{folder}/{name}.tsv", "w") as file:
        for one, other, data in many.edges(data=True):
            file.write(f"{one}\t{other}\t{data.get('weight', 1)}\n")
    weighted = nx.DiGraph()
    for one, other, data in many.edges(data=True):
        before = weighted.get_edge_data(one, other, {"weight": 0})["weight"]
        weighted.add_edge(one, other, weight=before + data.get("weight", 1))
    plain = nx.DiGraph(weighted.edges())
    bare = nx.DiGraph(plain)
    bare.remove_edges_from(list(nx.selfloop_edges(bare)))
    seen_from = sorted(plain)[:3]
    centre = max(bare, key=lambda node: (bare.degree(node), node))
    exact = {"tol": 1e-15, "max_iter": 3000}
    hubs, authorities = nx.hits(plain, max_iter=100_000, tol=1e-14)
    strong, weak = list(nx.strongly_connected_components(bare)), list(nx.weakly_connected_components(bare))
    around = nx.ego_graph(bare, centre, radius=2, undirected=True)
    found[name] = {
        "pagerank": nx.pagerank(plain, weight=None, **exact),
        "pagerank, weighted": nx.pagerank(weighted, weight="weight", **exact),
        "pagerank, damped": nx.pagerank(plain, alpha=0.5, weight=None, **exact),
        "pagerank, seen from three": nx.pagerank(
            plain, weight=None, personalization={node: 1 / 3 for node in seen_from}, **exact
        ),
        "seen_from": seen_from,
        "hubs": hubs,
        "authorities": authorities,
        "in": dict(bare.in_degree()),
        "out": dict(bare.out_degree()),
        "core": nx.core_number(bare.to_undirected()),
        "strong": sorted(map(len, strong), reverse=True),
        "weak": sorted(map(len, weak), reverse=True),
        "bow_tie": bow_tie(bare),
        "several_cores": sum(len(one) == max(map(len, strong)) for one in strong) > 1,
        "reciprocity": nx.overall_reciprocity(bare),
        "centre": centre,
        "steps": {node: steps for node, steps in sorted(nx.single_source_shortest_path_length(bare, centre).items())},
        "near": sorted(set(around) - {centre}),
    }
print(json.dumps(found))
