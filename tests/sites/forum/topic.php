<?php
require 'common.php';
must_be_in();
$forum = forum();
$id = (string) $_GET['id'];
if (!isset($forum['topics'][$id])) {
    http_response_code(404);
    head('No such topic');
    exit;
}
$topic = $forum['topics'][$id];
head($topic['title']);
echo '<article><p>', shown($topic['text']), '</p></article>';
// A link for this visit only, and a form with a token of its own: neither is a change of the topic.
echo '<p><a href="print.php?id=', $id, '&amp;once=', bin2hex(random_bytes(8)), '">Print</a></p>';
echo '<form id="reply" action="reply.php?id=', $id, '" method="post"><input type="hidden" name="token" value="', token(), '">';
echo '<textarea name="text"></textarea><button>Reply</button></form>';
