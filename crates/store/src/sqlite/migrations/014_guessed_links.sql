-- Addresses in scripts and comments, and actions of forms that ask: kinds of links that older programs did not know.
INSERT OR IGNORE INTO link_kinds VALUES (20, 'in-script');
INSERT OR IGNORE INTO link_kinds VALUES (21, 'get-form');
