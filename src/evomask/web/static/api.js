// Requests to the HTTP interface; errors are sentences.

import { complain, say } from "./dom.js";

export async function ask(path, method = "GET", body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("the server does not respond; start it again with evomask serve");
  }
  if (answer.status === 204) return null;
  const content = await answer.json().catch(() => ({ error: "the server sent an invalid response" }));
  if (!answer.ok) throw Object.assign(new Error(content.error), { field: content.field || "" });
  return content;
}

export const post = (path, body) => ask(path, "POST", body);
export const put = (path, body) => ask(path, "PUT", body);

// Run an action and show its error, in the element *place* if given.
export async function attempt(action, place) {
  if (place) complain(place);
  try {
    return await action();
  } catch (error) {
    if (place) complain(place, error.message);
    else say(error.message, true);
    return undefined;
  }
}

const wait = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

// Poll a background task; return its result, or throw its error.
export async function finished(look, each = () => {}) {
  for (let pause = 300; ; pause = Math.min(2000, pause * 1.3)) {
    const work = await look();
    if (work.state === "done") return work.result;
    if (work.state === "failed") throw new Error(work.error);
    each(work);
    await wait(pause);
  }
}
