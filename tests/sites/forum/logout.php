<?php
require 'common.php';
session_start();
session_unset();
file_put_contents(__DIR__ . '/logouts.txt', "logout\n", FILE_APPEND | LOCK_EX);
login_form('Good bye.');
