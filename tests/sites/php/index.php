<?php
require 'common.inc';
begin('The corner shop');
tell(file(__DIR__ . '/data/page-home.txt', FILE_IGNORE_NEW_LINES));
echo "<ul>\n";
foreach (keys('paper') as $key) {
    echo "<li><a href=\"paper.php?ref=$key\">Paper</a></li>\n";
}
foreach (glob(__DIR__ . '/papers/*.php') as $file) {
    $name = basename($file);
    echo "<li><a href=\"papers/$name\">Reprint</a></li>\n";
}
echo "<li><a href=\"help.html\">Help</a></li>\n</ul>\n";
// A counter that moves with every visit.
echo '<div class="visits">Visit number ', random_int(1000, 999999), "</div>\n";
finish();
