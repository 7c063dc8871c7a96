<?php
require 'common.inc';
$lines = told('paper', $_GET['ref'] ?? '');
begin($lines[0]);
tell($lines);
finish();
