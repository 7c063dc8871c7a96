<?php
require 'common.php';
must_be_in();
head('Boards');
foreach (forum()['boards'] as $id => $name) {
    echo '<p><a class="board" href="board.php?id=', $id, '">', shown($name), '</a></p>';
}
