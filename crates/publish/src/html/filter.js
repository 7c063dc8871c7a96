(function () {
  var bar = document.querySelector('.filter');
  var tiles = document.querySelectorAll('a.tile');
  var only = null;
  if (!bar) return;
  var box = bar.querySelector('input');
  var told = bar.querySelector('span');
  bar.hidden = false;
  function show() {
    var words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    var shown = 0;
    document.querySelectorAll('section[data-state]').forEach(function (section) {
      var wanted = !only || section.dataset.state === only;
      section.querySelectorAll('.list > li').forEach(function (row) {
        var text = words.length ? row.textContent.toLowerCase() : '';
        var hit = words.every(function (word) { return text.indexOf(word) >= 0; });
        row.hidden = !hit;
        if (wanted && hit) shown += 1;
      });
      section.hidden = !wanted;
    });
    tiles.forEach(function (tile) {
      var is = tile.dataset.state === only;
      tile.classList.toggle('off', only !== null && !is);
      tile.setAttribute('aria-pressed', String(is));
    });
    told.textContent = only || words.length ? shown + ' shown' : '';
  }
  tiles.forEach(function (tile) {
    tile.setAttribute('role', 'button');
    tile.addEventListener('click', function (event) {
      event.preventDefault();
      only = only === tile.dataset.state ? null : tile.dataset.state;
      show();
    });
  });
  box.addEventListener('input', show);
})();
