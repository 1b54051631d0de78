// `duet docs`: the front page of a service as a file, for whoever publishes it beside the service.

import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { MissingPackage } from '../dependency/optional-package.ts'
import { staticPage } from '../explorer/overview/static-page.ts'
import { type Document, describeOverview } from '../service/overview/describe.ts'
import { type Command, CommandError, readArguments } from './command.ts'
import { optionsOf } from './options.ts'
import { loadServed } from './served.ts'

/** Writes `index.html` into the folder, which it makes, and over one that is there. */
export const docsCommand: Command = async (args, { folder, variables, write }) => {
  const { values, positionals } = readArguments(args, { options: optionsOf('service'), names: ['The folder'] })
  const served = await loadServed(values.service, folder, variables)
  const { model, routes, info } = served
  const document = served.document(routes.current) as Document
  const overview = describeOverview({ model, routes, schema: served.schema(), document }, info.description)
  const target = resolve(folder, positionals[0])
  const file = join(target, 'index.html')
  const page = await staticPage(overview).catch((cause: unknown) => {
    throw cause instanceof MissingPackage ? new CommandError(cause.message, { cause }) : cause
  })
  await mkdir(target, { recursive: true })
  await writeFile(file, page)
  write(`Wrote ${file}.\n`)
  return 0
}
