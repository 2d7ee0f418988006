// SPDX-License-Identifier: MIT
// Opens pages in Chromium and does with each what a test says: browse.js CHROMIUM reads a JSON object of each line of its input and answers
// with one in a line, what came of it or the error; all in one browser, each page in a profile of its own.
"use strict";
const path = require("path");
const readline = require("readline");
const modules = path.join(__dirname, "../../web/node_modules");
const { chromium } = require(path.join(modules, "playwright-core"));

async function browse(browser, options) {
	const seen = { messages: [], errors: [], requests: [] };
	const context = await browser.newContext({ viewport: { width: options.width, height: options.height }, colorScheme: options.scheme,
		javaScriptEnabled: options.script });
	try {
		const page = await context.newPage();
		page.on("console", (message) => seen.messages.push(message.type() + ": " + message.text()));
		page.on("pageerror", (error) => seen.errors.push(String(error)));
		page.on("request", (request) => seen.requests.push(request.url()));
		await page.goto("file://" + options.page);
		const AsyncFunction = browse.constructor;
		const act = new AsyncFunction("page", "axe", "context", options.act);
		seen.result = await act(page, path.join(modules, "axe-core/axe.min.js"), context);
	} finally {
		await context.close();
	}
	return seen;
}

async function main() {
	const browser = await chromium.launch({ executablePath: process.argv[2], args: ["--no-sandbox", "--force-color-profile=srgb"] });
	for await (const line of readline.createInterface({ input: process.stdin })) {
		const answer = await browse(browser, JSON.parse(line)).catch((error) => ({ failed: String(error.stack || error) }));
		console.log(JSON.stringify(answer));
	}
	await browser.close();
}

main().catch((error) => {
	console.error(String(error.stack || error));
	process.exitCode = 1;
});
