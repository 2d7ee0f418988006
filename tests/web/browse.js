// SPDX-License-Identifier: MIT
// Opens a page in Chromium and does what the test says with it: browse.js OPTIONS, a JSON object; prints what came of it as JSON.
"use strict";
const path = require("path");
const modules = path.join(__dirname, "../../web/node_modules");
const { chromium } = require(path.join(modules, "playwright-core"));

async function main(options) {
	const browser = await chromium.launch({ executablePath: options.chromium, args: ["--no-sandbox", "--force-color-profile=srgb"] });
	const seen = { messages: [], errors: [], requests: [] };
	try {
		const context = await browser.newContext({ viewport: { width: options.width, height: options.height }, colorScheme: options.scheme,
			javaScriptEnabled: options.script });
		const page = await context.newPage();
		page.on("console", (message) => seen.messages.push(message.type() + ": " + message.text()));
		page.on("pageerror", (error) => seen.errors.push(String(error)));
		page.on("request", (request) => seen.requests.push(request.url()));
		await page.goto("file://" + options.page);
		const AsyncFunction = main.constructor;
		const act = new AsyncFunction("page", "axe", "context", options.act);
		seen.result = await act(page, path.join(modules, "axe-core/axe.min.js"), context);
	} finally {
		await browser.close();
	}
	return seen;
}

main(JSON.parse(process.argv[2])).then((seen) => console.log(JSON.stringify(seen)), (error) => {
	console.error(String(error.stack || error));
	process.exitCode = 1;
});
