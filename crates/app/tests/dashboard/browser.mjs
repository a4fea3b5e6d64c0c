// A person at the dashboard, in Chromium: every page at the width of a phone and of a desk, in light and dark, and the things
// that people do there. Whatever the console, the network or axe-core finds wrong is a failure.
//
// node browser.mjs CLIENTS URL LINK FILES [PICTURES]: the folder of node_modules, the address, a one-time link, a folder with
// files to import, and a folder for pictures.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';

const [clients, url, link, files, pictures] = process.argv.slice(2);
const require = createRequire(path.join(clients, 'x.js'));
const { chromium } = require('playwright-core');
const axe = require.resolve('axe-core/axe.min.js');

const PAGES = ['chats', 'context', 'memory', 'search', 'turns', 'routines', 'usage', 'import', 'health'];
const MAIN = 'cli:chat:main';
const WIDTHS = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 860 } };

/** A machine that builds at the same time is slow. */
const PATIENCE = 60_000;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
});

/** What was wrong, told at the end all at once. */
const problems = [];

async function open(width, colorScheme, signedIn) {
  const context = await browser.newContext({
    viewport: WIDTHS[width],
    colorScheme,
    locale: 'en-GB',
    bypassCSP: false,
    storageState: signedIn,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const wrong = (what) => problems.push(`${width} ${new URL(page.url()).hash}: ${what}`);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong(`script: ${error.message}`));
  page.on('dialog', (dialog) => {
    wrong(`a dialog of the browser: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    const to = new URL(request.url());
    if (to.origin !== url && to.protocol !== 'data:') wrong(`a request to ${to.origin}`);
  });
  return page;
}

/** Opens a page; from another one as a link does it. */
async function go(page, hash) {
  if (!page.url().startsWith(url)) await page.goto(`${url}/#/${hash}`);
  else {
    await page.evaluate((to) => {
      const changed = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
      location.hash = to;
      return changed;
    }, `#/${hash}`);
  }
  await ready(page);
}

/** The page has what it shows at first. */
async function ready(page) {
  await page.locator('main:not([aria-busy]) h1').first().waitFor({ state: 'attached' });
}

async function accessible(page, name) {
  // The policy of the page lets no foreign script in; the driver's own world is not bound by it.
  await page.evaluate(require('node:fs').readFileSync(axe, 'utf8'));
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  for (const violation of violations) {
    problems.push(
      `${name}: ${violation.id}: ${violation.help}\n    ${violation.nodes
        .slice(0, 3)
        .map((node) => `${node.html.slice(0, 160)} ${node.failureSummary?.split('\n')[1] ?? ''}`)
        .join('\n    ')}`,
    );
  }
}

/** The page is not wider than the window. */
async function fits(page, name) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (over > 0) problems.push(`${name}: ${over} pixels too wide`);
}

async function picture(page, name) {
  if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

async function step(name, work) {
  const began = Date.now();
  try {
    await work();
  } catch (error) {
    problems.push(`${name}: ${error.stack?.split('\n').slice(0, 6).join('\n    ')}`);
  }
  console.log(`${name} (${Date.now() - began} ms)`);
}

let signedIn;

await step('a browser that is not signed in is told what to do', async () => {
  const page = await open('desk', 'light');
  // The refusal itself is logged by the browser.
  page.removeAllListeners('console');
  await page.goto(`${url}/`);
  await page.getByText('throughline open').waitFor();
  await accessible(page, 'sign in');
  await page.context().close();
});

await step('the one-time link signs in', async () => {
  const page = await open('desk', 'light');
  await page.goto(link);
  await page.locator('.messages li').first().waitFor();
  signedIn = await page.context().storageState();
  assert.equal(signedIn.cookies[0].httpOnly, true);
  assert.equal(signedIn.cookies[0].sameSite, 'Strict');
  await page.context().close();
});

for (const [width, scheme] of [
  ['phone', 'dark'],
  ['desk', 'light'],
]) {
  await step(`every page at the width of a ${width}, ${scheme}`, async () => {
    const page = await open(width, scheme, signedIn);
    for (const name of PAGES) {
      await go(page, name);
      const title = await page.title();
      assert.match(title, new RegExp(`^${name}`, 'i'));
      await accessible(page, `${name} at the width of a ${width}`);
      await fits(page, `${name} at the width of a ${width}`);
    }
    await page.context().close();
  });
}

await step('a message is written and its reply is streamed', async () => {
  const page = await open('phone', 'light', signedIn);
  await go(page, `chats?chat=${MAIN}`);
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.fill('On which day is the birthday of my sister?');
  await box.press('Enter');
  await page.locator('.live .message.user', { hasText: 'On which day' }).waitFor();
  // What was recorded takes the place of what was shown.
  await page.locator('.messages:not(.live) .message.user', { hasText: 'On which day' }).waitFor();
  await page.locator('.live li').first().waitFor({ state: 'detached' });
  assert.match(await page.locator('.messages:not(.live) .message.assistant .text').last().textContent(), /14 March/);
  // From the reply to its receipt.
  await page.getByRole('link', { name: 'Why this reply?' }).last().click();
  await page.getByRole('heading', { name: 'What the model read' }).waitFor();
  await accessible(page, 'receipt');
  await page.goBack();
  await page.getByRole('textbox', { name: 'Message' }).fill('/help');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.message.assistant', { hasText: '/remember' }).waitFor();
  await page.context().close();
});

await step('a reply is stopped, and what was shown of it stays', async () => {
  const page = await open('phone', 'dark', signedIn);
  await go(page, 'chats?chat=cli:chat:talker');
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.fill('Tell me.');
  await box.press('Enter');
  await page.locator('.live .message.assistant', { hasText: 'So on and' }).waitFor();
  // What is written meanwhile waits.
  await box.fill('And then?');
  await box.press('Enter');
  await page.getByRole('button', { name: 'Stop' }).click();
  const reply = page.locator('.messages:not(.live) .message.assistant', { hasText: 'You stopped this reply.' });
  await reply.waitFor();
  assert.match(await reply.locator('.text').textContent(), /^So on and/);
  await page.getByRole('button', { name: 'Send' }).waitFor();
  assert.equal(await box.inputValue(), 'And then?');
  await accessible(page, 'a reply that was stopped');
  await page.context().close();
});

await step('what is written into a chat of Telegram is sent there', async () => {
  const page = await open('desk', 'light', signedIn);
  await go(page, `chats?chat=${MAIN}`);
  assert.equal(await page.getByText('sent to Telegram').count(), 0);
  await go(page, 'chats?chat=telegram:chat:4711');
  await page.getByText('What you write here is sent to Telegram too, with the reply.').waitFor();
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.fill('Is the garden *dry*?');
  await box.press('Enter');
  await page.locator('.messages:not(.live) .message.user', { hasText: 'Is the garden *dry*?' }).waitFor();
  await accessible(page, 'a chat of Telegram');
  await page.context().close();
});

await step('what is said elsewhere appears', async () => {
  const page = await open('desk', 'light', signedIn);
  await go(page, `chats?chat=${MAIN}`);
  await page.locator('.messages li').first().waitFor();
  const said = await page.evaluate(
    (chat) =>
      fetch('/v1/messages', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ chat, text: 'Said on the phone.' }),
      }).then((answer) => answer.status),
    MAIN,
  );
  assert.equal(said, 200);
  await page.locator('.message', { hasText: 'Said on the phone.' }).waitFor();
  await page.context().close();
});

await step('markup that was stored is shown as text', async () => {
  const page = await open('desk', 'light', signedIn);
  await go(page, 'chats?chat=cli:chat:hostile');
  await page.locator('.message', { hasText: '<img src=x onerror=' }).waitFor();
  await page.locator('.message', { hasText: '</script>' }).waitFor();
  assert.equal(await page.locator('main img').count(), 0);
  for (const place of [
    'search?query=onerror',
    'memory?chat=cli:chat:hostile',
    'context?chat=cli:chat:hostile&message=</script>',
  ]) {
    await go(page, place);
    assert.equal(await page.locator('main img, main script').count(), 0, place);
  }
  assert.equal(await page.evaluate(() => window.owned), undefined);
  await page.context().close();
});

for (const [width, scheme] of [
  ['phone', 'dark'],
  ['desk', 'light'],
]) {
  await step(`a reply is shown as the Markdown that it is, at the width of a ${width}`, async () => {
    const page = await open(width, scheme, signedIn);
    await go(page, 'chats?chat=cli:chat:markdown');
    const [good, hostile] = [page.locator('.markdown').first(), page.locator('.markdown').last()];
    await hostile.waitFor();
    const texts = (root, selector) => root.locator(selector).allTextContents();
    for (const [selector, words] of [
      ['h3', ['A plan for the garden']],
      ['strong', ['early']],
      ['em', ['not', 'wait for rain']],
      ['s', ['not mint']],
      ['p code, td code', ['garden_plan.md', 'beans | peas']],
      ['a', ['the guide']],
      [':scope > ul > li > ul > li', ['and basil, not mint']],
      ['ol[start="3"] > li', ['Dig', 'Sow']],
      ['blockquote p', ['Ines said:\nwait for rain']],
      ['th', ['Bed', 'Plants']],
      ['pre code', ['echo "<b>dig</b> **here**"']],
    ])
      assert.deepEqual(await texts(good, selector), words, selector);
    assert.deepEqual(await texts(hostile, 'a'), ['picture', 'https://bank.example', 'https://example.org/']);
    const links = await page.locator('.markdown a').evaluateAll((all) => all.map((a) => [a.href, a.rel, a.target]));
    for (const [href, rel, target] of links)
      assert.ok(href.startsWith('https://example.org/') && rel === 'noopener noreferrer' && target === '_blank', href);
    for (const words of ['<img src=x onerror=', '[script](javascript:', '[data](data:text/html,<script>', '**never closed, `nor'])
      assert.ok((await hostile.textContent()).includes(words), words);
    assert.equal(await texts(hostile, 'pre').then(String), '</code></pre></script><script>window.owned=1</script>');
    assert.equal(await page.locator('main :is(img, script, b, iframe)').count(), 0);
    assert.equal(await page.evaluate(() => window.owned), undefined);
    await accessible(page, `Markdown at the width of a ${width}`);
    await fits(page, `Markdown at the width of a ${width}`);
    await page.context().close();
  });
}

await step('the sliders redraw the context, and two settings stand side by side', async () => {
  const page = await open('desk', 'light', signedIn);
  await go(page, `context?chat=${MAIN}&message=When is the birthday of Ines?`);
  const total = page.locator('.total').first();
  await total.waitFor();
  const before = await total.textContent();
  const budget = page.getByRole('slider', { name: 'Budget' });
  await budget.fill('3');
  await page.locator('.total', { hasText: 'of 1,000 tokens' }).waitFor();
  await page.getByRole('slider', { name: 'Preset' }).fill('0');
  await page.locator('.total', { hasText: 'of 4,300 tokens' }).waitFor();
  assert.notEqual(await total.textContent(), before);
  await page.getByRole('button', { name: 'Compare two' }).click();
  await page.getByRole('slider', { name: 'Preset B' }).fill('5');
  await page.locator('.total', { hasText: 'of 150,000 tokens' }).waitFor();
  assert.equal(await page.locator('.layer-bar').count(), 2);
  await page.getByText('The whole prompt').first().click();
  await page.locator('.prompt pre', { hasText: 'When is the birthday of Ines?' }).first().waitFor();
  await accessible(page, 'context, two settings');
  await page.context().close();
});

await step('a memory is added, edited, forgotten and brought back', async () => {
  const page = await open('desk', 'dark', signedIn);
  await go(page, `memory?chat=${MAIN}`);
  await page.getByLabel('Something to remember').fill('I play the oboe');
  await page.getByRole('button', { name: 'Remember' }).click();
  const row = page.locator('.memory', { hasText: 'I play the oboe' });
  await row.waitFor();
  await row.locator('summary').click();
  await row.getByRole('button', { name: 'Edit' }).click();
  await row.getByLabel('Statement').fill('I play the bassoon');
  await row.getByRole('button', { name: 'Save' }).click();
  const edited = page.locator('.memory', { hasText: 'I play the bassoon' });
  await edited.locator('summary').click();
  await edited.locator('.timeline', { hasText: 'I play the oboe' }).waitFor();
  await accessible(page, 'a memory');
  await edited.getByRole('button', { name: 'Forget' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('I play the bassoon').waitFor();
  await accessible(page, 'what would be forgotten');
  await dialog.getByRole('button', { name: 'Forget' }).click();
  await edited.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.memory', { hasText: 'I play the bassoon' }).waitFor();
  // What was said proves what is known.
  const known = page.locator('.memory', { hasText: 'marine biologist' }).first();
  await known.locator('summary').click();
  await known.locator('blockquote', { hasText: 'marine biologist' }).first().waitFor();
  await page.context().close();
});

await step('a suggestion is kept', async () => {
  const page = await open('phone', 'dark', signedIn);
  await go(page, 'memory?chat=cli:chat:suggested');
  const suggestion = page.locator('.suggestions li', { hasText: 'sailing' });
  await suggestion.getByRole('button', { name: 'Keep' }).click();
  await page.locator('.memory', { hasText: 'sailing' }).waitFor();
  await page.context().close();
});

await step('a hit tells why, and leads to its message', async () => {
  const page = await open('phone', 'light', signedIn);
  await go(page, 'search');
  await page.getByRole('searchbox', { name: 'Search' }).fill('marine biologist');
  const hit = page
    .locator('.hit', { hasText: 'marine biologist' })
    .filter({ has: page.locator('.tag', { hasText: 'message' }) })
    .first();
  await hit.getByText('of your words').waitFor();
  await accessible(page, 'hits');
  await hit.locator('.hit-text').click();
  await page.locator('li.target', { hasText: 'marine biologist' }).waitFor();
  await page.context().close();
});

await step('a file is imported, and its report is read', async () => {
  const page = await open('phone', 'dark', signedIn);
  await go(page, 'import');
  await page.locator('input[type=file]').setInputFiles(path.join(files, 'some.jsonl'));
  await page.getByText('3 messages imported, 0 already there, in 1 chat.').waitFor();
  await page.getByText('1 line could not be read').waitFor();
  await accessible(page, 'a report');
  await page.locator('input[type=file]').setInputFiles(path.join(files, 'some.jsonl'));
  await page.getByText('0 messages imported, 3 already there').waitFor();
  await page.context().close();
});

await step('a routine is run now', async () => {
  const page = await open('desk', 'light', signedIn);
  await go(page, 'routines');
  await page.getByRole('button', { name: 'Run now: hello' }).click();
  await page.locator('tbody tr', { hasText: 'hello' }).getByText('sent').waitFor();
  await accessible(page, 'routines, with a history');
  await page.context().close();
});

await step('the keyboard is enough', async () => {
  const page = await open('desk', 'light', signedIn);
  await go(page, 'chats');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the page');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  const search = page.locator('nav a', { hasText: 'Search' }).first();
  await search.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('searchbox', { name: 'Search' }).waitFor();
  await page.context().close();
});

await step('a chat of 100,000 messages opens at once and scrolls smoothly', async () => {
  const page = await open('desk', 'light', signedIn);
  await go(page, 'chats?chat=cli:chat:long');
  await page.locator('.messages li').first().waitFor();
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime);
  const { frame, rows, first } = await page.evaluate(async () => {
    const scroll = document.querySelector('.scroll');
    const frames = [];
    let before = performance.now();
    // As a wheel does it: upwards for many pages.
    while (frames.length < 400) {
      scroll.scrollTop -= 120;
      await new Promise((next) => requestAnimationFrame(next));
      frames.push(performance.now() - before);
      before = performance.now();
    }
    return {
      frame: frames.sort((a, b) => a - b)[frames.length / 2],
      rows: document.querySelectorAll('.messages li').length,
      first: document.querySelector('.messages li').textContent,
    };
  });
  console.log(
    `  first paint after ${paint.toFixed(0)} ms, a frame in ${frame.toFixed(1)} ms, ${rows} messages on the page`,
  );
  assert.ok(rows <= 320, `${rows} messages are on the page`);
  assert.ok(!first.includes('Message 99999 '), 'older messages are there');
  assert.ok(frame < 50, `a frame takes ${frame} ms`);
  await page.getByRole('button', { name: 'Newest' }).click();
  await page.locator('.messages li', { hasText: 'Message 99999 ' }).waitFor();
  await page.context().close();
});

await step('pictures for the docs', async () => {
  if (!pictures) return;
  for (const [name, hash, width, scheme] of [
    ['chats', `chats?chat=${MAIN}`, 'desk', 'light'],
    ['context', `context?chat=${MAIN}&message=When is the birthday of Ines?&b=rolling`, 'desk', 'light'],
    ['memory', `memory?chat=${MAIN}`, 'desk', 'dark'],
    ['search', 'search?query=marine biologist', 'phone', 'light'],
  ]) {
    const page = await open(width, scheme, signedIn);
    await go(page, hash);
    await page.waitForTimeout(600);
    await picture(page, name);
    await page.context().close();
  }
});

await browser.close();
if (problems.length) {
  console.error(`\n${problems.join('\n')}`);
  process.exit(1);
}
