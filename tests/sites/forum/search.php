<?php
require 'common.php';
must_be_in();
$forum = forum();
head('Search');
if ($_SERVER['REQUEST_METHOD'] === 'POST') {
    if (!is_token_right()) {
        http_response_code(400);
        echo '<p>Wrong token.</p>';
        exit;
    }
    $found = array_filter($forum['topics'], fn($topic) => str_contains($topic['text'], $_POST['q']));
    // Never twice in the same order.
    $ids = array_keys($found);
    shuffle($ids);
    echo '<ol id="results">';
    foreach ($ids as $id) {
        echo '<li><a href="topic.php?id=', $id, '">', shown($found[$id]['title']), '</a></li>';
    }
    echo '</ol>';
}
echo '<form id="search" method="post"><input type="hidden" name="token" value="', token(), '">';
echo '<label>Words <input name="q"></label> <select name="board"><option value="0" selected>all</option><option value="1">one</option></select>';
echo '<button>Find</button></form>';
