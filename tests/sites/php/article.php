<?php
require 'common.inc';
$lines = told('article', $_GET['n'] ?? '');
begin($lines[0]);
tell($lines);
// A clock, as many content systems print one.
echo '<div class="made">Made at ', date('H:i:s'), ' in 0.', random_int(1000, 9999), " s</div>\n";
finish();
