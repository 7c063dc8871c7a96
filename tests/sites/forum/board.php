<?php
require 'common.php';
must_be_in();
$forum = forum();
$board = (int) $_GET['id'];
$page = max(1, (int) ($_GET['page'] ?? 1));
head($forum['boards'][$board]);
$topics = array_filter($forum['topics'], fn($topic) => $topic['board'] === $board);
foreach (array_slice($topics, 10 * ($page - 1), 10, true) as $id => $topic) {
    echo '<p><a class="topic" href="topic.php?id=', $id, '">', shown($topic['title']), '</a></p>';
}
if (count($topics) > 10 * $page) {
    echo '<p><a class="next" href="board.php?id=', $board, '&amp;page=', $page + 1, '">Next</a></p>';
}
