<?php
require 'common.php';
must_be_in();
$forum = forum();
$id = (string) $_GET['id'];
if (!is_token_right()) {
    http_response_code(400);
    exit('Wrong token.');
}
$forum['topics'][$id]['text'] .= ' ' . $_POST['text'];
keep($forum);
header('Location: topic.php?id=' . $id);
