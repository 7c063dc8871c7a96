use super::*;
use crate::GraphBuilder;
use crate::seeded::Seeded;

/// Groups of hosts, mostly linked inside, with names. The last `fresh` of them are new: without them the rest is the same graph.
fn hosts(count: u32, fresh: u32) -> (Graph, Vec<String>) {
    let mut builder = GraphBuilder::new((count + fresh) as usize);
    for node in 0..count + fresh {
        let mut chance = Seeded::new(u64::from(node) * 7919 + 1);
        for _ in 0..6 {
            let below = u64::from(count.min(node + 1));
            let other = chance.below(below) as Node;
            let same_group = (other / 12 * 12 + node % 12).min(count - 1);
            let to = if chance.below(10) < 8 {
                node / 12 * 12 + other % 12
            } else {
                same_group
            };
            builder.link(node, to.min(count - 1));
        }
    }
    let names = (0..count + fresh)
        .map(|node| format!("host-{node}.example"))
        .collect();
    (builder.finish(), names)
}

fn distance(one: Point, other: Point) -> f64 {
    one.plus(other, -1.0).length()
}

#[test]
fn the_picture_is_the_same_each_time_and_with_any_number_of_threads() {
    let (graph, names) = hosts(300, 0);
    let draw = || layout(&graph, &names, &[], &LayoutOptions::default());
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let three = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    assert_eq!(one.install(draw), three.install(draw));
}

#[test]
fn one_new_node_in_a_hundred_leaves_the_picture_as_it_was() {
    let (graph, names) = hosts(300, 0);
    let (grown, grown_names) = hosts(300, 3);
    let before = layout(&graph, &names, &[], &LayoutOptions::default());
    let after = layout(&grown, &grown_names, &[], &LayoutOptions::default());
    let mut moved: Vec<f64> = before.iter().zip(&after).map(|(a, b)| distance(*a, *b)).collect();
    moved.sort_by(f64::total_cmp);
    let size = SPACING * 300f64.sqrt();
    let (median, most) = (moved[150] / size, moved[285] / size);
    assert!(
        median < 0.05 && most < 0.15,
        "median {median:.3}, 95th of 100 {most:.3}"
    );
}

#[test]
fn known_places_stay_and_new_nodes_come_beside_their_neighbours() {
    let (graph, names) = hosts(300, 3);
    let options = LayoutOptions {
        radii: vec![5.0; 303],
        ..LayoutOptions::default()
    };
    let all = layout(&graph, &names, &[], &options);
    let known: Vec<Option<Point>> = all[..300].iter().copied().map(Some).chain([None; 3]).collect();
    let again = layout(&graph, &names, &known, &options);
    assert_eq!(again[..300], all[..300]);
    for node in 300..303u32 {
        let near: Vec<Point> = graph
            .forward()
            .of(node)
            .iter()
            .map(|&end| again[end as usize])
            .collect();
        let place = again[node as usize];
        let between = |value: f64, pick: fn(&Point) -> f64| {
            let low = near.iter().map(pick).fold(f64::INFINITY, f64::min) - 2.0 * SPACING;
            let high = near.iter().map(pick).fold(f64::NEG_INFINITY, f64::max) + 2.0 * SPACING;
            (low..=high).contains(&value)
        };
        assert!(
            between(place.x, |place| place.x) && between(place.y, |place| place.y),
            "{place:?}"
        );
    }
}

#[test]
fn linked_nodes_lie_nearer_than_others_and_circles_do_not_cover_each_other() {
    let (graph, names) = hosts(300, 0);
    let options = LayoutOptions {
        radii: (0..300).map(|node| 3.0 + f64::from(node % 7)).collect(),
        ..LayoutOptions::default()
    };
    let places = layout(&graph, &names, &[], &options);
    let linked: Vec<f64> = graph
        .all_links()
        .map(|(from, to, _)| distance(places[from as usize], places[to as usize]))
        .collect();
    let linked_mean = linked.iter().sum::<f64>() / linked.len() as f64;
    let (mut sum, mut pairs, mut covered) = (0.0, 0, 0);
    for one in 0..300 {
        for other in one + 1..300 {
            let apart = distance(places[one], places[other]);
            sum += apart;
            pairs += 1;
            covered += usize::from(apart + 0.5 < options.radii[one] + options.radii[other]);
        }
    }
    assert!(
        linked_mean < 0.6 * sum / f64::from(pairs),
        "{linked_mean} of {}",
        sum / f64::from(pairs)
    );
    assert_eq!(covered, 0);
}

#[test]
fn nothing_and_one_node_have_places() {
    let none: [&str; 0] = [];
    assert!(
        layout(
            &GraphBuilder::new(0).finish(),
            &none,
            &[],
            &LayoutOptions::default()
        )
        .is_empty()
    );
    let one = layout(
        &GraphBuilder::new(1).finish(),
        &["a"],
        &[],
        &LayoutOptions::default(),
    );
    assert!(one[0].length().is_finite());
}
