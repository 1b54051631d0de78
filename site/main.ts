// `npm run docs`: makes the pages that come from the code, then the site. `npm run docs -- --serve` shows it while one writes,
// `-- --reference` makes the pages alone, for the package.

import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, createServer } from 'vitepress'
import { writeTexts } from './llms.ts'
import { writeReference } from './reference/write.ts'

const root = fileURLToPath(new URL('.', import.meta.url))
const { values } = parseArgs({
  options: {
    serve: { type: 'boolean' },
    reference: { type: 'boolean' },
    out: { type: 'string', default: `${root}dist` },
  },
})

await writeReference()
if (values.serve) {
  const server = await createServer(root)
  await server.listen()
  server.printUrls()
} else if (!values.reference) {
  await build(root, { outDir: values.out })
  await writeTexts(values.out)
}
