<%@ include file="common.jspf" %><%
String kind = request.getParameter("kind");
int number = Integer.parseInt(Objects.requireNonNullElse(request.getParameter("page"), "1"));
List<String> keys = "article".equals(kind) || "item".equals(kind) ? keys(kind) : List.of();
int pages = (keys.size() + PER_PAGE - 1) / PER_PAGE;
if (number < 1 || number > pages) {
    response.sendError(404);
    return;
}
out.print(begin("All of kind " + kind + ", page " + number, response));
out.print("<p>These are ours, in the order in which they came to us, five on each page.</p>\n<ul>\n");
for (String key : keys.subList((number - 1) * PER_PAGE, Math.min(number * PER_PAGE, keys.size()))) {
    String target = "article".equals(kind) ? "article.jsp?n=" + key : "item.jsp?id=" + key + "&view=full";
    out.print("<li>" + link(target, "Text number " + key, response) + "</li>\n");
}
out.print("</ul>\n");
for (int other = 1; other <= pages; other++) {
    if (other != number) {
        out.print(link("list.jsp?kind=" + kind + "&page=" + other, "page " + other, response) + "\n");
    }
}
out.print(END);
%>
