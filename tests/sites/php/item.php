<?php
require 'common.inc';
$lines = told('item', $_GET['id'] ?? '');
begin($lines[0]);
tell($lines);
?>
<form action="basket.php" method="post"><input type="hidden" name="id" value="<?= $_GET['id'] ?>">
<input type="submit" value="Buy"></form>
<?php
finish();
