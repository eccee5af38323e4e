"use strict";

/* A page ranks higher for each word of the query that stands in its title, so that a message finds the page of its name. */
const wordsOf = text => text.toLowerCase().match(/\w+/g) ?? [];

var Scorer = {
  score: ([, title, , , score]) => {
    const asked = new Set(wordsOf(new URLSearchParams(window.location.search).get("q") ?? ""));
    const own = new Set(wordsOf(title));
    return score + [...asked].filter(word => own.has(word)).length;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
