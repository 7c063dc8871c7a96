<?php
// A small forum: what it knows lies in forum.json beside it, who is in lies in PHP's sessions.
//
//   {"boards": {"1": "Birds"}, "topics": {"1": {"board": 1, "title": "…", "text": "…"}},
//    "expires_after": 20, "expired": "form" | "redirect"}

function forum(): array {
    return json_decode(file_get_contents(__DIR__ . '/forum.json'), true);
}

function keep(array $forum): void {
    file_put_contents(__DIR__ . '/forum.json', json_encode($forum), LOCK_EX);
}

function shown(string $text): string {
    return htmlspecialchars($text, ENT_QUOTES);
}

function token(): string {
    return $_SESSION['token'] ??= bin2hex(random_bytes(16));
}

function is_token_right(): bool {
    // Good for one form: the next one has another.
    $right = isset($_POST['token']) && hash_equals(token(), $_POST['token']);
    unset($_SESSION['token']);
    return $right;
}

function login_form(string $why): void {
    echo '<!DOCTYPE html><title>Log in</title><h1>Log in</h1><p>', shown($why), '</p>';
    echo '<form id="login" action="login.php" method="post"><input type="hidden" name="token" value="', token(), '">';
    echo '<label>Name <input name="user"></label> <label>Password <input type="password" name="password"></label>';
    echo '<button name="go" value="1">Log in</button></form>';
}

// Counts the request. A session is good for so many; then it is as if there had never been one.
function must_be_in(): void {
    session_start();
    $forum = forum();
    $left = $_SESSION['left'] ?? 0;
    if ($left > 0) {
        $_SESSION['left'] = $left - 1;
        return;
    }
    session_unset();
    if (($forum['expired'] ?? 'form') === 'redirect') {
        header('Location: login.php?back=' . urlencode($_SERVER['REQUEST_URI']));
        exit;
    }
    login_form('Your session has ended.');
    exit;
}

function head(string $title): void {
    echo '<!DOCTYPE html><title>', shown($title), '</title>';
    echo '<p id="menu"><a href="index.php">Boards</a> <a href="search.php">Search</a> <a id="out" href="logout.php">Log out</a></p>';
    echo '<h1>', shown($title), '</h1>';
}
