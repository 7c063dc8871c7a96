//! What commands of TeX and LaTeX mean for text.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Text(&'static str),
    Accent(char),
    Heading(u8),
    Begin,
    End,
    Item,
    LineEnd,
    Paragraph,
    /// So many arguments are not shown.
    Skip(u8),
    /// To another place or book: its key is shown, in brackets.
    Reference,
    /// An address, then words.
    Link,
    Address,
    Verbatim,
    /// To this mark.
    Formula(&'static str),
    /// Its argument is set apart from the word before it.
    Note,
    /// Its argument is a block of its own.
    Block,
    Title,
    Author,
    Date,
    Keywords,
    /// Its argument is text as any.
    Stress,
    Unknown,
}

pub(super) fn meaning(name: &str) -> Meaning {
    match name {
        "part" | "chapter" => Meaning::Heading(1),
        "section" => Meaning::Heading(2),
        "subsection" => Meaning::Heading(3),
        "subsubsection" => Meaning::Heading(4),
        "paragraph" => Meaning::Heading(5),
        "subparagraph" => Meaning::Heading(6),
        "begin" => Meaning::Begin,
        "end" => Meaning::End,
        "item" | "bibitem" => Meaning::Item,
        "\\" | "tabularnewline" | "newline" | "cr" => Meaning::LineEnd,
        "par" | "bigskip" | "medskip" | "smallskip" | "newpage" | "clearpage" | "hrule" | "bye" => {
            Meaning::Paragraph
        }
        "ref" | "eqref" | "pageref" | "autoref" | "cref" | "Cref" | "nameref" | "cite" | "citep"
        | "citet" | "citealt" | "textcite" | "parencite" | "autocite" => Meaning::Reference,
        "href" => Meaning::Link,
        "url" | "path" | "nolinkurl" => Meaning::Address,
        "verb" | "lstinline" => Meaning::Verbatim,
        "(" => Meaning::Formula("\\)"),
        "[" => Meaning::Formula("\\]"),
        "footnote" | "thanks" | "footnotetext" | "endnote" => Meaning::Note,
        "caption" | "centerline" | "leftline" | "rightline" => Meaning::Block,
        "title" => Meaning::Title,
        "author" => Meaning::Author,
        "date" => Meaning::Date,
        "keywords" | "keyword" => Meaning::Keywords,
        "\"" => Meaning::Accent('\u{308}'),
        "'" => Meaning::Accent('\u{301}'),
        "`" => Meaning::Accent('\u{300}'),
        "^" => Meaning::Accent('\u{302}'),
        "~" => Meaning::Accent('\u{303}'),
        "=" => Meaning::Accent('\u{304}'),
        "." => Meaning::Accent('\u{307}'),
        "c" => Meaning::Accent('\u{327}'),
        "v" => Meaning::Accent('\u{30c}'),
        "u" => Meaning::Accent('\u{306}'),
        "H" => Meaning::Accent('\u{30b}'),
        "k" => Meaning::Accent('\u{328}'),
        "r" => Meaning::Accent('\u{30a}'),
        "d" => Meaning::Accent('\u{323}'),
        "b" => Meaning::Accent('\u{331}'),
        "documentclass"
        | "documentstyle"
        | "usepackage"
        | "RequirePackage"
        | "label"
        | "nocite"
        | "bibliographystyle"
        | "bibliography"
        | "include"
        | "input"
        | "includegraphics"
        | "vspace"
        | "hspace"
        | "pagestyle"
        | "thispagestyle"
        | "pagenumbering"
        | "index"
        | "newtheorem"
        | "newcounter"
        | "stepcounter"
        | "refstepcounter"
        | "hyphenation"
        | "graphicspath"
        | "bibitemdeclare"
        | "color"
        | "definecolor"
        | "geometry"
        | "hypersetup"
        | "theoremstyle"
        | "newlength"
        | "captionsetup"
        | "markright"
        | "cline"
        | "cmidrule"
        | "vskip"
        | "hskip"
        | "includeonly"
        | "phantom"
        | "hphantom"
        | "vphantom"
        | "tikz"
        | "usetikzlibrary"
        | "lstset"
        | "PassOptionsToPackage"
        | "selectlanguage"
        | "fontfamily"
        | "fontseries"
        | "fontshape"
        | "linespread"
        | "bibinfo"
        | "usetheme"
        | "usecolortheme"
        | "institute"
        | "subtitle"
        | "newif"
        | "ensurestyle"
        | "foreignlanguage"
        | "inputencoding"
        | "glossary"
        | "newsavebox"
        | "usebox"
        | "pdfbookmark"
        | "special"
        | "rowcolor"
        | "cellcolor"
        | "arraystretch"
        | "hyphenchar" => Meaning::Skip(1),
        "setlength" | "addtolength" | "setcounter" | "addtocounter" | "fontsize" | "rule" | "markboth"
        | "numberwithin" | "newacronym" | "sethlcolor" | "settowidth" => Meaning::Skip(2),
        "addcontentsline" => Meaning::Skip(3),
        "textcolor" | "colorbox" | "raisebox" | "parbox" | "makebox" | "framebox" | "hyperref"
        | "hypertarget" | "hyperlink" | "resizebox" | "scalebox" | "rotatebox" => Meaning::Skip(1),
        "multicolumn" | "multirow" => Meaning::Skip(2),
        "maketitle" | "tableofcontents" | "listoffigures" | "listoftables" | "printindex" | "hline"
        | "toprule" | "midrule" | "bottomrule" | "centering" | "noindent" | "indent" | "raggedright"
        | "raggedleft" | "appendix" | "frontmatter" | "mainmatter" | "backmatter" | "makeatletter"
        | "makeatother" | "sloppy" | "protect" | "bf" | "it" | "em" | "rm" | "sf" | "tt" | "sc" | "sl"
        | "bfseries" | "itshape" | "scshape" | "ttfamily" | "sffamily" | "rmfamily" | "tiny"
        | "scriptsize" | "footnotesize" | "small" | "normalsize" | "large" | "Large" | "LARGE" | "huge"
        | "Huge" | "upshape" | "mdseries" | "slshape" | "normalfont" | "relax" | "hfil" | "hfill"
        | "vfill" | "vfil" | "and" | "onecolumn" | "twocolumn" | "balance" | "allowbreak" | "nobreak"
        | "endinput" | "fi" | "else" | "expandafter" | "begingroup" | "endgroup" | "bgroup" | "egroup"
        | "leavevmode" | "ignorespaces" | "unskip" | "displaystyle" | "textstyle" | "limits" | "left"
        | "right" | "/" | "!" | "-" | "@" | ")" | "]" => Meaning::Text(""),
        "," | ";" | ":" | " " | "\n" | "quad" | "qquad" | "enspace" | "thinspace" | "space" | "hss"
        | "\t" => Meaning::Text(" "),
        "%" => Meaning::Text("%"),
        "$" => Meaning::Text("$"),
        "&" => Meaning::Text("&"),
        "#" => Meaning::Text("#"),
        "_" => Meaning::Text("_"),
        "{" => Meaning::Text("{"),
        "}" => Meaning::Text("}"),
        "ss" => Meaning::Text("\u{df}"),
        "ae" => Meaning::Text("\u{e6}"),
        "AE" => Meaning::Text("\u{c6}"),
        "oe" => Meaning::Text("\u{153}"),
        "OE" => Meaning::Text("\u{152}"),
        "o" => Meaning::Text("\u{f8}"),
        "O" => Meaning::Text("\u{d8}"),
        "aa" => Meaning::Text("\u{e5}"),
        "AA" => Meaning::Text("\u{c5}"),
        "l" => Meaning::Text("\u{142}"),
        "L" => Meaning::Text("\u{141}"),
        "i" => Meaning::Text("i"),
        "j" => Meaning::Text("j"),
        "TeX" => Meaning::Text("TeX"),
        "LaTeX" => Meaning::Text("LaTeX"),
        "LaTeXe" => Meaning::Text("LaTeX2\u{3b5}"),
        "BibTeX" => Meaning::Text("BibTeX"),
        "ldots" | "dots" | "textellipsis" => Meaning::Text("\u{2026}"),
        "copyright" | "textcopyright" => Meaning::Text("\u{a9}"),
        "textregistered" => Meaning::Text("\u{ae}"),
        "texttrademark" => Meaning::Text("\u{2122}"),
        "pounds" | "textsterling" => Meaning::Text("\u{a3}"),
        "euro" | "texteuro" | "EUR" => Meaning::Text("\u{20ac}"),
        "S" => Meaning::Text("\u{a7}"),
        "P" => Meaning::Text("\u{b6}"),
        "dag" => Meaning::Text("\u{2020}"),
        "textbackslash" => Meaning::Text("\\"),
        "textbar" => Meaning::Text("|"),
        "textless" => Meaning::Text("<"),
        "textgreater" => Meaning::Text(">"),
        "textasciitilde" | "tilde" => Meaning::Text("~"),
        "textasciicircum" => Meaning::Text("^"),
        "textquoteleft" | "lq" => Meaning::Text("\u{2018}"),
        "textquoteright" | "rq" => Meaning::Text("\u{2019}"),
        "textquotedblleft" => Meaning::Text("\u{201c}"),
        "textquotedblright" => Meaning::Text("\u{201d}"),
        "textendash" => Meaning::Text("\u{2013}"),
        "textemdash" => Meaning::Text("\u{2014}"),
        "textbullet" => Meaning::Text("\u{2022}"),
        "textdegree" => Meaning::Text("\u{b0}"),
        "textunderscore" => Meaning::Text("_"),
        "guillemotleft" | "og" => Meaning::Text("\u{ab}"),
        "guillemotright" | "fg" => Meaning::Text("\u{bb}"),
        "glqq" => Meaning::Text("\u{201e}"),
        "grqq" => Meaning::Text("\u{201c}"),
        "emph" | "textbf" | "textit" | "texttt" | "textrm" | "textsf" | "textsc" | "textsl" | "textup"
        | "underline" | "mbox" | "hbox" | "fbox" | "text" | "textnormal" | "textmd" => Meaning::Stress,
        _ => Meaning::Unknown,
    }
}

/// Commands that set something, by the customs of their names: their arguments are no text.
pub(super) fn is_setting(name: &str) -> bool {
    let settings = [
        "set", "define", "declare", "new", "renew", "provide", "load", "enable", "disable", "register",
        "add", "use",
    ];
    let name = name.to_ascii_lowercase();
    settings
        .iter()
        .any(|word| name.starts_with(word) && name.len() > word.len())
}
