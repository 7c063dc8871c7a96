-- Until then the host is not to be asked: what one run learned about its pace, for the next (HC055).
ALTER TABLE hosts ADD COLUMN held_until INTEGER;
