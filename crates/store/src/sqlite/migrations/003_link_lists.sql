-- The links of a page in one row: a JSON array for each link in the order of the page,
-- [target (resources.id), kind (link_kinds.id), anchor, count, nofollow, as the page spells it], usual values at the end left out.
CREATE TABLE page_links (
    source     INTEGER PRIMARY KEY,   -- resources.id
    first_run  INTEGER NOT NULL,      -- the run that found this list
    list       TEXT NOT NULL
) STRICT;

-- Lists that pages had before, until the run that found another one.
CREATE TABLE past_links (
    source     INTEGER NOT NULL,
    first_run  INTEGER NOT NULL,
    gone_run   INTEGER NOT NULL,
    list       TEXT NOT NULL,
    PRIMARY KEY (source, first_run)
) STRICT;

INSERT INTO page_links(source, first_run, list)
    SELECT source, max(first_run), json_group_array(json_array(target, kind, coalesce(anchor, ''), count, coalesce(nofollow, 0)))
    FROM links WHERE gone_run IS NULL GROUP BY source;
INSERT INTO past_links(source, first_run, gone_run, list)
    SELECT source, min(first_run), max(gone_run), json_group_array(json_array(target, kind, coalesce(anchor, ''), count, coalesce(nofollow, 0)))
    FROM links WHERE gone_run IS NOT NULL GROUP BY source;
DROP TABLE links;

-- Who links to whom: once per place, with how often, under which words, and from which run to which.
CREATE VIEW links(source, target, kind, count, anchor, nofollow, original, first_run, gone_run) AS
    SELECT source, value ->> 0, value ->> 1, coalesce(value ->> 3, 1), nullif(value ->> 2, ''), nullif(value ->> 4, 0),
           value ->> 5, first_run, NULL
    FROM page_links, json_each(list)
    UNION ALL
    SELECT source, value ->> 0, value ->> 1, coalesce(value ->> 3, 1), nullif(value ->> 2, ''), nullif(value ->> 4, 0),
           value ->> 5, first_run, gone_run
    FROM past_links, json_each(list);
