// TypeScript as browsers load it.

import { join } from 'node:path'
import { build } from 'esbuild'

/** One minified file of this module and all that it imports; `contents` may import as this repository's tests do. */
export async function bundleForBrowsers(contents: string): Promise<Buffer> {
  const { outputFiles } = await build({
    stdin: { contents, loader: 'ts', resolveDir: join(import.meta.dirname, '../../..') },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['duet-source'],
  })
  return Buffer.from(outputFiles[0]!.contents)
}
