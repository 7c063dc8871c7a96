<?php
require 'common.inc';
begin('Search');
tell(file(__DIR__ . '/data/page-search.txt', FILE_IGNORE_NEW_LINES));
?>
<form action="search.php" method="get"><input name="q"><input type="submit" value="Find"></form>
<?php
finish();
