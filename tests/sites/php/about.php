<?php
require 'common.inc';
begin('About us');
tell(file(__DIR__ . '/data/page-about.txt', FILE_IGNORE_NEW_LINES));
finish();
