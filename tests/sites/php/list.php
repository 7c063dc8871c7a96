<?php
require 'common.inc';
$kind = $_GET['kind'] ?? '';
$page = (int) ($_GET['page'] ?? 1);
$keys = in_array($kind, ['article', 'item'], true) ? keys($kind) : [];
$pages = intdiv(count($keys) + PER_PAGE - 1, PER_PAGE);
if ($page < 1 || $page > $pages) {
    http_response_code(404);
    exit('<!DOCTYPE html><title>Not found</title><h1>Not found</h1><p>There is no such list.</p>');
}
begin("All of kind $kind, page $page");
echo "<p>These are ours, in the order in which they came to us, five on each page.</p>\n<ul>\n";
foreach (array_slice($keys, ($page - 1) * PER_PAGE, PER_PAGE) as $key) {
    $target = $kind === 'article' ? "article.php?n=$key" : "item.php?id=$key&amp;view=full";
    echo "<li><a href=\"$target\">" . ucfirst($kind) . " number $key</a></li>\n";
}
echo "</ul>\n";
for ($other = 1; $other <= $pages; $other++) {
    if ($other !== $page) {
        echo "<a href=\"list.php?kind=$kind&amp;page=$other\">page $other</a>\n";
    }
}
finish();
