//! The examples of every `--help`, all in one place: a test runs each of them (tests/it/cli/examples.rs).
//!
//! A line is a command, two blanks or more, and what it does.

pub(super) const GLEANER: &str = "\
Examples:
  gleaner crawl https://example.com/   fetch a site into ./gleaner-data
  gleaner track                        later: what is new, what changed, what is gone
  gleaner report                       what the newest run found
  gleaner track manual --log debug     log what a run does, page by page

`gleaner COMMAND --help` explains a command.
Exit codes: 0 done, 1 done but something needs attention (damage was found, a crawl collected nothing), 2 wrong usage, 3 failed, \
130 stopped by Ctrl-C (`gleaner resume` continues).";

pub(super) const CRAWL: &str = "\
Examples:
  gleaner crawl https://example.com/                               a whole site
  gleaner crawl https://example.com/docs/ --scope subtree --depth 3
  gleaner crawl https://example.com/ -A pdf,docx                   only documents with these names
  gleaner crawl -i urls.txt --scope list --requisites              these pages, with their parts

More in docs/crawl.md.";

pub(super) const TRACK: &str = "\
Examples:
  gleaner track                            the only project
  gleaner track manual --max-time 30m --stats   counters and times at the end
  gleaner track manual --user eva --password-file password.txt   every run needs the login

More in docs/track.md.";

pub(super) const RESUME: &str = "\
Examples:
  gleaner resume       the newest unfinished run
  gleaner resume 7 -v  run 7, with a line for every URL";

pub(super) const PROJECT: &str = "\
Examples:
  gleaner project new harbour https://example.com/   write harbour.toml, all settings explained
  gleaner project check board.toml                   find every mistake in it
  gleaner project run board.toml                     collect the first time, track after that

More in docs/projects.md.";

pub(super) const PROJECT_NEW: &str = "\
Examples:
  gleaner project new https://example.com/                      named after its host
  gleaner project new board https://example.com/ --file my.toml";

pub(super) const PROJECT_RUN: &str = "\
Examples:
  gleaner project run board.toml            a file; it is stored as a project first
  gleaner project run manual --max-pages 100";

pub(super) const PROJECT_TRY: &str = "\
Examples:
  gleaner project try board.toml            fetch a few pages, store nothing
  gleaner project try manual --max 10 --json";

pub(super) const PROJECT_LIST: &str = "\
Examples:
  gleaner project list
  gleaner project list --all --json   removed ones too, for programs";

pub(super) const PROJECT_SHOW: &str = "\
Examples:
  gleaner project show manual
  gleaner project show board.toml   a file as Gleaner understands it";

pub(super) const PROJECT_CHECK: &str = "\
Examples:
  gleaner project check board.toml
  gleaner project check manual --json   a stored project, for programs";

pub(super) const PROJECT_EDIT: &str = "\
Examples:
  gleaner project edit manual
  EDITOR=true gleaner project edit board.toml   with another editor";

pub(super) const PROJECT_RENAME: &str = "\
Examples:
  gleaner project rename manual handbook
  gleaner project rename example.com example";

pub(super) const PROJECT_COPY: &str = "\
Examples:
  gleaner project copy manual manual-2
  gleaner project copy board.toml board-2   from a file";

pub(super) const PROJECT_REMOVE: &str = "\
Examples:
  gleaner project remove shop --yes   do not ask
  gleaner project list --all          it is still listed there";

pub(super) const PROJECT_IMPORT: &str = "\
Examples:
  gleaner project import board.toml
  gleaner project import board.toml --replace   replace the project of that name";

pub(super) const PROJECT_EXPORT: &str = "\
Examples:
  gleaner project export manual               print it
  gleaner project export manual manual.toml";

pub(super) const SECRET: &str = "\
Examples:
  echo hush | gleaner secret set board   store it; in a project it is \"secret:board\"
  gleaner secret list";

pub(super) const SECRET_SET: &str = "\
Examples:
  echo hush | gleaner secret set board       from a pipe; without one you are asked for it
  gleaner secret set board < password.txt";

pub(super) const SECRET_LIST: &str = "\
Examples:
  gleaner secret list
  gleaner secret list --json";

pub(super) const SECRET_REMOVE: &str = "\
Examples:
  gleaner secret remove token
  gleaner secret list           it is gone";

pub(super) const RUNS: &str = "\
Examples:
  gleaner runs
  gleaner runs --json   one object per line";

pub(super) const REPORT: &str = "\
Examples:
  gleaner report                              the newest run
  gleaner report 2 --state UPD                what changed in run 2
  gleaner report --format html > report.html  one self-contained page

More in docs/report.md.";

pub(super) const LS: &str = "\
Examples:
  gleaner ls
  gleaner ls --project manual --type application/pdf
  gleaner ls --json                                   one object per line";

pub(super) const CAT: &str = "\
Examples:
  gleaner cat https://example.com/           the page as it was sent
  gleaner cat 17 --as main                   the main text of document 17
  gleaner cat 17 --version -2 --headers      the version before the newest, with its HTTP head

More in docs/read.md.";

pub(super) const CONVERT: &str = "\
Examples:
  gleaner convert paper.pdf                              the text of a file
  gleaner convert report.docx --to markdown -o report.md
  gleaner convert 17 --version -2 --to json              an older version, with its metadata

Exit codes: 0 done, 1 there is no text (the reason is given), 2 wrong usage, 3 failed. More in docs/convert.md.";

pub(super) const LIBRARY: &str = "\
Examples:
  gleaner library new mine.toml --topic harbour --site urls.txt
  gleaner library run crawling.toml --cycles 1
  gleaner library documents crawling
  gleaner library classify paper.pdf

docs/library.md tells more.";

pub(super) const LIBRARY_NEW: &str = "\
Examples:
  gleaner library new mine.toml --topic harbour --site https://example.com
  gleaner library new mine.toml --site urls.txt --example paper.pdf

docs/library.md tells more.";

pub(super) const LIBRARY_CHECK: &str = "\
Examples:
  gleaner library check crawling.toml
  gleaner library check crawling.toml --json

Exit codes: 0 no mistakes, 1 mistakes (each is told with its line), 2 wrong usage, 3 failed.";

pub(super) const LIBRARY_SHOW: &str = "\
Examples:
  gleaner library show            all of them
  gleaner library show crawling   one, and how it stands

docs/library.md tells more.";

pub(super) const LIBRARY_RUN: &str = "\
Examples:
  gleaner library run crawling.toml --cycles 1     work through one cycle
  gleaner library run crawling --cycles 1 --json   one object per line, for programs

Without --cycles it goes on for ever. Ctrl-C stops it at any time, and the next run continues.
Exit codes: 0 done, 1 nothing was due, 130 stopped, 2 wrong usage, 3 failed. docs/library.md tells more.";

pub(super) const LIBRARY_FETCH: &str = "\
Examples:
  gleaner library fetch crawling.toml
  gleaner library fetch crawling --quiet

docs/library.md tells more.";

pub(super) const LIBRARY_JUDGE: &str = "\
Examples:
  gleaner library judge crawling           what was fetched and not judged yet
  gleaner library judge crawling --again   everything once more, as after a new version

docs/library.md tells more.";

pub(super) const LIBRARY_ANALYSE: &str = "\
Examples:
  gleaner library analyse crawling
  gleaner library analyse crawling --json   one object, for programs

docs/library.md tells more.";

pub(super) const LIBRARY_SITES: &str = "\
Examples:
  gleaner library sites crawling
  gleaner library sites crawling --state trial --json

docs/library.md tells more.";

pub(super) const LIBRARY_SITE: &str = "\
Examples:
  gleaner library site crawling https://example.com --active   visit it, whatever it gave
  gleaner library site crawling https://example.com --reject   do not visit it
  gleaner library site crawling https://example.com --forget   the library decides again

docs/library.md tells more.";

pub(super) const LIBRARY_DOCUMENTS: &str = "\
Examples:
  gleaner library documents crawling --uncertain   those that wait for a person
  gleaner library documents crawling --json        one object per line, for programs

docs/library.md tells more.";

pub(super) const LIBRARY_OVERRULE: &str = "\
Examples:
  gleaner library overrule crawling https://example.com/paper.pdf --accept
  gleaner library overrule crawling https://example.com/paper.pdf --genre slides
  gleaner library overrule crawling https://example.com/paper.pdf --undo

docs/library.md tells more.";

pub(super) const LIBRARY_ADD: &str = "\
Examples:
  gleaner library add crawling paper.pdf
  gleaner library add crawling report.docx https://example.com/report.pdf

docs/library.md tells more.";

pub(super) const LIBRARY_STATISTICS: &str = "\
Examples:
  gleaner library statistics crawling
  gleaner library statistics crawling --site https://example.com --json

docs/library.md tells more.";

pub(super) const LIBRARY_CYCLES: &str = "\
Examples:
  gleaner library cycles crawling
  gleaner library cycles crawling --json

docs/library.md tells more.";

pub(super) const LIBRARY_EXPLAIN: &str = "\
Examples:
  gleaner library explain crawling https://example.com/paper.pdf
  gleaner library explain crawling https://example.com

docs/library.md tells more.";

pub(super) const LIBRARY_CLASSIFY: &str = "\
Examples:
  gleaner library classify paper.pdf report.docx
  gleaner library classify paper.pdf --json           with title, authors, abstract, references
  gleaner library classify paper.pdf --ignore-names   judged by its content and look alone

Exit codes: 0 done, 1 a file could not be read (the reason is given), 2 wrong usage, 3 failed. More in docs/library.md.";

pub(super) const VERSIONS: &str = "\
Examples:
  gleaner versions https://example.com/
  gleaner versions 17 --json";

pub(super) const DIFF: &str = "\
Examples:
  gleaner diff https://example.com/           the last two versions
  gleaner diff 17 1 3                         version 1 against version 3
  gleaner diff 17 --format html > diff.html   one self-contained page

More in docs/diff.md.";

pub(super) const SEARCH: &str = "\
Examples:
  gleaner search harbour opening hours       documents with all these words, in any form
  gleaner search --as-of 2 title:harbour     as it was at the end of run 2
  gleaner search --vanished '\"free entry\"'   when this sentence disappeared, page by page
  gleaner search rebuild                     build the index again (the word: text:rebuild)

Words of a query:
  harbour OR port -toll     either of two words, and not the third
  \"opened to the public\"    these words next to each other; \"...\"~3 allows up to 3 others in between
  title:harbour             also heading:, text:, url:, host:, type:, lang:
  harb* opnening~           how a word begins; a word with one wrong letter (~2: two)

The index is in the data folder (derived/), is updated automatically and can be deleted. More in docs/search.md.";

pub(super) const CONCEPTS: &str = "\
Examples:
  gleaner concepts manual                          words that often stand near each other
  gleaner concepts manual --document 12            the key phrases of one document
  gleaner concepts manual --vocabulary terms.txt   the terms of a list, and where they occur

More in docs/concepts.md.";

pub(super) const CHUNKS: &str = "\
Examples:
  gleaner chunks manual > chunks.jsonl   all chunks, and a cursor at the end
  gleaner chunks manual --tokens 200

One object per line. A new chunk:
  {\"id\",\"document\",\"version\",\"url\",\"title\",\"headings\",\"ordinal\",\"tokens\",\"text\"}
a chunk that is gone (without an id: all chunks of the document):
  {\"gone\":true,\"id\",\"document\",\"url\"}
and at the end {\"cursor\"}, to be given as --since next time. More in docs/chunks.md.";

pub(super) const LINKS: &str = "\
Examples:
  gleaner links https://example.com/        where it links to
  gleaner links https://example.com/ --in   who links to it
  gleaner links 17 --json";

pub(super) const GRAPH: &str = "\
Examples:
  gleaner graph summary                              the whole graph on one screen
  gleaner graph rank --level host --top 20           the most important hosts
  gleaner graph draw --to web.html                   a picture that works without a network

More in docs/graph.md.";

pub(super) const GRAPH_SUMMARY: &str = "\
Examples:
  gleaner graph summary
  gleaner graph summary --project manual --run 1   as it was at the end of run 1
  gleaner graph summary --edges links.tsv          a graph from elsewhere";

pub(super) const GRAPH_RANK: &str = "\
Examples:
  gleaner graph rank --top 10
  gleaner graph rank --level host --by in --csv > hosts.csv";

pub(super) const GRAPH_COMPONENTS: &str = "\
Examples:
  gleaner graph components
  gleaner graph components --project manual --json";

pub(super) const GRAPH_HOSTS: &str = "\
Examples:
  gleaner graph hosts
  gleaner graph hosts --csv > hosts.csv";

pub(super) const GRAPH_TYPES: &str = "\
Examples:
  gleaner graph types
  gleaner graph types --csv > types.csv";

pub(super) const GRAPH_MIRRORS: &str = "\
Examples:
  gleaner graph mirrors
  gleaner graph mirrors --csv > mirrors.csv";

pub(super) const GRAPH_BROKEN: &str = "\
Examples:
  gleaner graph broken --project manual
  gleaner graph broken --csv > broken.csv";

pub(super) const GRAPH_PATH: &str = "\
Examples:
  gleaner graph path https://example.com/ https://example.com/about.html
  gleaner graph path https://example.com/ https://example.com/about.html --csv";

pub(super) const GRAPH_NEAR: &str = "\
Examples:
  gleaner graph near https://example.com/
  gleaner graph near https://example.com/ --hops 2 --along in   what leads there";

pub(super) const GRAPH_COMPARE: &str = "\
Examples:
  gleaner graph compare 1 2
  gleaner graph compare 1 2 --csv > moved.csv";

pub(super) const GRAPH_EXPORT: &str = "\
Examples:
  gleaner graph export --format gexf --to web.gexf
  gleaner graph export --format edges > links.tsv
  gleaner graph export --format parquet --to graph-tables

parquet and s4-csv write several files, so --to names a folder; s4-sqlite writes a new file. Everything else is printed if \
--to is not given. More in docs/graph.md.";

pub(super) const GRAPH_DRAW: &str = "\
Examples:
  gleaner graph draw --to web.html
  gleaner graph draw --to near.svg --around https://example.com/ --hops 1";

pub(super) const MIRROR: &str = "\
Examples:
  gleaner mirror https://example.com/ copy     crawl it if necessary, then write the copy
  gleaner mirror manual copy                   later: bring the copy up to date
  gleaner mirror manual past --run 1           as it was at the end of run 1

The options about what to collect, manners and network count only if nothing was collected from the URL yet and it is crawled first. \
More in docs/mirror.md.";

pub(super) const EXPORT: &str = "\
Examples:
  gleaner export manual out --as markdown   a tree of files; the same command updates it
  gleaner export manual --as jsonl -o site.jsonl --type text/html
  gleaner export manual --as wacz -o site.wacz --path '/docs/*'

More in docs/export.md.";

pub(super) const RECONSIDER: &str = "\
Examples:
  gleaner reconsider manual --equality main,learned --dry-run   only show what would change
  gleaner reconsider manual --equality 'visible,ignore:regex=\"[0-9]+ views\"'";

pub(super) const FIND_SID: &str = "\
Examples:
  gleaner find-sid monday.txt tuesday.txt   one list per session: what differs between them
  gleaner find-sid --length 32 links.txt    one list, if the length is known";

pub(super) const EXPLAIN: &str = "\
Examples:
  gleaner explain https://example.com/private/
  gleaner explain https://example.com/ --project manual --json";

pub(super) const RULES: &str = "\
Examples:
  gleaner rules --project manual                               what was learned about its sites
  gleaner rules https://example.com/ --project manual --add '?sid'
  gleaner rules https://example.com/ --project manual --forget all";

pub(super) const VERIFY: &str = "\
Examples:
  gleaner verify
  gleaner verify --fix   repair what can be repaired";

pub(super) const REBUILD: &str = "\
Examples:
  gleaner rebuild                                   a new gleaner.db from archive/*.warc.gz
  gleaner --data new rebuild --from crawl.warc.gz   a new folder from a file of another program";

pub(super) const PRUNE: &str = "\
Examples:
  gleaner prune --keep 5 --dry-run   only show what would be removed
  gleaner prune manual --keep 90d

More in docs/retention.md.";

pub(super) const COMPLETIONS: &str = "\
Examples:
  gleaner completions bash > gleaner.bash
  gleaner completions fish > gleaner.fish";
