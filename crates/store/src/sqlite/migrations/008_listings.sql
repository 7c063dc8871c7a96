-- What file and news servers tell of their documents without sending them.

-- The metadata that the folder's listing gave, as one word; null: not from a listing. A document that is kept takes it over
-- in `versions.etag`, where the next listing is compared with it.
ALTER TABLE frontier ADD COLUMN stamp TEXT;
INSERT OR IGNORE INTO link_kinds VALUES (19, 'entry');
