// Writes the reference into docs/reference/, which git ignores: it is made anew for the site and for the package.

import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { docs } from '../pages.ts'
import { readEntryPoints } from './exports.ts'
import { makePages } from './pages.ts'

const folder = join(docs, 'reference')

/** Afterwards the folder holds these pages and no others. What has not changed is not touched, so that watchers see no change. */
export async function writeReference(): Promise<void> {
  const pages = makePages(readEntryPoints())
  await mkdir(folder, { recursive: true })
  const others = (await readdir(folder)).filter((name) => !pages.has(name))
  await Promise.all(others.map((name) => rm(join(folder, name), { recursive: true })))
  await Promise.all(Array.from(pages, ([name, text]) => writeOnce(join(folder, name), text)))
}

/** Replaces the file at once, so that no reader sees half a page. */
async function writeOnce(path: string, text: string): Promise<void> {
  const before = await readFile(path, 'utf8').catch(() => null)
  if (before === text) return
  const draft = `${path}.${process.pid}`
  await writeFile(draft, text)
  await rename(draft, path)
}
