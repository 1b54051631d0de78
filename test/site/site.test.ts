// The site of the documents: built once as `npm run docs` builds it, then read as its readers do.

import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { readKinds } from '../../site/pages.ts'
import { accessibilityProblems } from '../support/client/axe.ts'
import { chromiumMissing, launchChromium } from '../support/client/chromium.ts'
import { repository } from '../support/process/command.ts'
import { runProcess } from '../support/process/run-process.ts'
import { serveFiles } from '../support/server/static-files.ts'

describe('the site', () => {
  let folder: string
  let printed: string
  let pages: readonly string[]
  before(
    async () => {
      folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
      const built = await runProcess(
        process.execPath,
        ['--conditions=duet-source', 'site/main.ts', '--out', folder],
        repository,
      )
      printed = built.printed
      assert.equal(built.code, 0, printed)
      pages = globSync('**/*.html', { cwd: folder }).filter((path) => path !== '404.html')
    },
    { timeout: 300_000 },
  )
  after(() => rm(folder, { recursive: true, force: true }))

  test('is built without a warning', () => {
    assert.match(printed, /build complete/)
    assert.doesNotMatch(printed, /warn|deprecated|dead link|error/i)
  })

  test('has every page of docs/ once, under what it is for', async () => {
    const listed = (await readKinds()).flatMap((kind) => kind.pages.map(({ path }) => path))
    const written = globSync('**/*.md', { cwd: join(repository, 'docs') }).filter((path) => path !== 'README.md')
    assert.deepEqual(listed.toSorted(), written.toSorted())
    assert.deepEqual([...listed, 'index.md'].toSorted(), pages.map((path) => path.replace(/html$/, 'md')).toSorted())
  })

  test('has no link that leads nowhere, down to the place on the page', async () => {
    const texts = new Map(
      await Promise.all(pages.map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const)),
    )
    const ids = new Map(
      Array.from(texts, ([path, text]) => [path, new Set(Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id]) => id))]),
    )
    assert.match(texts.get('reference/limits.html') ?? '', /href="[^"]*contract\.html#8\.2\.2"/)
    const problems: string[] = []
    for (const [path, text] of texts) {
      for (const [, target = ''] of text.matchAll(/<a\b[^>]*? href="([^"]+)"/g)) {
        const url = new URL(target.replaceAll('&amp;', '&'), `http://site/${path}`)
        if (url.host !== 'site') continue
        const file = url.pathname.endsWith('/') ? `${url.pathname}index.html` : url.pathname
        const place = decodeURIComponent(url.hash.slice(1))
        const match = ids.get(decodeURIComponent(file.slice(1)))
        if (match === undefined || (place !== '' && !match.has(place))) problems.push(`${path}: ${target}`)
      }
    }
    assert.deepEqual(problems, [])
  })

  test('has an index and one file for programs that read', async () => {
    const [index, everything] = await Promise.all(
      ['llms.txt', 'llms-full.txt'].map((name) => readFile(join(folder, name), 'utf8')),
    )
    // The form of llmstxt.org: a title, a summary, and lists of links under headings.
    assert.match(index!, /^# Duet\n\n> .+\n\n## Tutorials\n\n(?:- \[.+\]\(.+\.md\): .+\n)+/)
    for (const [, path = ''] of index!.matchAll(/^- \[.+?\]\((.+?\.md)\)/gm)) {
      assert.ok(everything!.includes(await readFile(join(folder, path), 'utf8')), path)
    }
  })

  describe('in a browser', { skip: chromiumMissing }, () => {
    let browser: Browser
    let server: Awaited<ReturnType<typeof serveFiles>>
    /** What was asked of anybody else, and what went wrong. */
    let problems: string[]
    before(async () => {
      server = await serveFiles(folder)
      browser = await launchChromium()
    })
    after(async () => {
      await browser?.close()
      await server?.close()
    })

    async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
      problems = []
      const page = await (await browser.newContext(options)).newPage()
      page.on('request', (request) => {
        if (!request.url().startsWith(server.url) && !request.url().startsWith('data:')) problems.push(request.url())
      })
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) problems.push(message.text())
      })
      page.on('pageerror', (error) => problems.push(error.message))
      await page.goto(`${server.url}/${path}`, { waitUntil: 'networkidle' })
      return page
    }

    async function close(page: Page): Promise<void> {
      await page.context().close()
      assert.deepEqual(problems, [])
    }

    test('a word is searched for, and its page opens', async () => {
      const page = await open('')
      await page.keyboard.press('/')
      await page.locator('#localsearch-input').fill('dead letter')
      const result = page.locator('.VPLocalSearchBox .result').first()
      await result.waitFor()
      await result.click()
      await page.waitForURL(/\/reactions\.html|\/operating\.html|\/reference\//)
      // The address changes before the page does.
      await page.locator('main', { hasText: /dead letter/i }).waitFor()
      await close(page)
    })

    test('it is as dark as its reader wants it', async () => {
      const dark = await open('', { colorScheme: 'dark' })
      const background = () => dark.evaluate('getComputedStyle(document.body).backgroundColor')
      assert.equal(await background(), 'rgb(27, 27, 31)')
      await dark.locator('.VPSwitchAppearance').first().click()
      await dark.waitForFunction('getComputedStyle(document.body).backgroundColor === "rgb(255, 255, 255)"')
      await close(dark)
      const light = await open('', { colorScheme: 'light' })
      assert.equal(await light.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)')
      await close(light)
    })

    test('no page is wider than a telephone, also without scripts', async () => {
      const page = await open('', { viewport: { width: 390, height: 844 }, javaScriptEnabled: false })
      const wide: string[] = []
      for (const path of pages) {
        await page.goto(`${server.url}/${path}`)
        const width = await page.evaluate('document.documentElement.scrollWidth')
        if (width !== 390) wide.push(`${path}: ${width}`)
      }
      assert.deepEqual(wide, [])
      await close(page)
    })

    for (const colorScheme of ['light', 'dark'] as const) {
      test(`it holds to WCAG 2.2, levels A and AA, as far as axe can tell (${colorScheme})`, async () => {
        const page = await open('', { colorScheme })
        const match: string[] = []
        for (const path of ['index.html', 'reactions.html']) {
          await page.goto(`${server.url}/${path}`, { waitUntil: 'networkidle' })
          match.push(...(await accessibilityProblems(page)).map((problem) => `${path}: ${problem}`))
        }
        assert.deepEqual(match, [])
        await close(page)
      })
    }
  })
})
