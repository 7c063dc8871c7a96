<?php
require 'common.inc';
begin('Contact');
tell(file(__DIR__ . '/data/page-contact.txt', FILE_IGNORE_NEW_LINES));
?>
<form action="contact.php" method="post">
<input type="hidden" name="token" value="<?= bin2hex(random_bytes(16)) ?>">
<textarea name="text"></textarea><input type="submit" value="Send">
</form>
<?php
finish();
