// The search box: lunr over INDEX (both are put before this text by _reference.py), in the page itself.
document.addEventListener("DOMContentLoaded", () => {
  const field = document.getElementById("mkdocs-search-query");
  const results = document.getElementById("mkdocs-search-results");
  if (!field || !results) return;
  const pages = new Map(INDEX.docs.map((page) => [page.location, page]));
  const index = lunr(function () {
    this.ref("location");
    this.field("title", { boost: 10 });
    this.field("text");
    INDEX.docs.forEach((page) => this.add(page));
  });
  const found = (words) =>
    index.query((query) =>
      lunr.tokenizer(words).forEach((token) => {
        query.term(token.toString(), { boost: 10 });
        query.term(token.toString(), { wildcard: lunr.Query.wildcard.TRAILING, usePipeline: false });
      }),
    );
  const article = ({ title, text, location }) => {
    const link = Object.assign(document.createElement("a"), { href: `${base_url}/${location}`, textContent: title });
    const heading = document.createElement("h3");
    heading.append(link);
    const summary = Object.assign(document.createElement("p"), { textContent: text.slice(0, 200) });
    const whole = document.createElement("article");
    whole.append(heading, summary);
    return whole;
  };
  field.form.addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("input", () => {
    const hits = field.value.length < 2 ? [] : found(field.value).slice(0, 30);
    results.replaceChildren(...hits.map((hit) => article(pages.get(hit.ref))));
    if (field.value.length > 1 && !hits.length) results.textContent = results.dataset.noResultsText;
  });
});
