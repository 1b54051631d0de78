// `npm run docs:picture`: photographs what the front page of the reference service shows of a resource, in Chromium, for README.md.

import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { fillDemo } from '../reference/demo.ts'
import { api, info } from '../reference/service.ts'
import { start } from '../src/index.ts'
import { launchChromium } from '../test/support/client/chromium.ts'

const file = fileURLToPath(new URL('../docs/front-page.webp', import.meta.url))
const size = { width: 1280, height: 1240 }

const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'off' }
const service = await start(api, { environment, demo: fillDemo, info })
const browser = await launchChromium()
try {
  const page = await browser.newPage({ viewport: size, colorScheme: 'light' })
  await page.goto(`${service.url}/docs#articles`, { waitUntil: 'networkidle' })
  const picture = await toWebp(browser, await page.screenshot())
  await writeFile(file, picture)
  console.log(`${file}: ${picture.length} bytes`)
} finally {
  await browser.close()
  await service.stop()
}

/** Chromium photographs as PNG only, and writes WebP from a canvas: a fifth of the bytes. */
async function toWebp(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage()
  const url = await page.evaluate(async (base64) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob())
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
    canvas.getContext('2d')!.drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', 0.8)
  }, png.toString('base64'))
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}
