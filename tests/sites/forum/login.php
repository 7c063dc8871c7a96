<?php
require 'common.php';
session_start();
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    login_form('Who are you?');
    exit;
}
$is_right = is_token_right();
if (!$is_right || $_POST['user'] !== 'reader' || $_POST['password'] !== 'sesame' || !isset($_POST['go'])) {
    login_form($is_right ? 'Wrong name or password.' : 'Wrong token.');
    exit;
}
session_regenerate_id(true);
$forum = forum();
$_SESSION['left'] = $forum['expires_after'];
file_put_contents(__DIR__ . '/logins.txt', "login\n", FILE_APPEND | LOCK_EX);
header('Location: index.php');
