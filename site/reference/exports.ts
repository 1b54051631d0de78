// What authors and clients may import: each name with its signature and docstring, as the build declares them.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
// TypeScript 7 has no programming interface; this is that of 6, which reads the same declarations.
import { ts } from '@ts-morph/common'

export interface Export {
  readonly name: string
  /** As TypeScript declares it, without bodies; several where it has overloads. */
  readonly signature: string
  /** Its docstring as Markdown; empty where it has none. */
  readonly about: string
}
export interface EntryPoint {
  /** What an import names, such as `duet-api/client`. */
  readonly name: string
  readonly exports: readonly Export[]
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const entries: Readonly<Record<string, string>> = {
  'duet-api': 'index',
  'duet-api/client': 'client/index',
  'duet-api/client/subscriptions': 'client/subscription/index',
}

/** Lets the compiler declare everything once, and reads what each entry point exports, in the order of the alphabet. */
export function readEntryPoints(): readonly EntryPoint[] {
  const folder = mkdtempSync(join(tmpdir(), 'duet-declarations-'))
  try {
    declareInto(folder)
    return Object.entries(entries).map(([name, file]) => ({ name, exports: readExports(join(folder, `${file}.d.ts`)) }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Without a check of the types, which `npm run types` makes. */
function declareInto(folder: string): void {
  const options = ['-p', join(root, 'tsconfig.build.json'), '--emitDeclarationOnly', '--noCheck', '--outDir', folder]
  const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), options, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stdout)
}

function readExports(path: string): readonly Export[] {
  const index = parse(path)
  const names = index.statements.flatMap((each) => namesIn(each).map(({ name }) => name.text))
  return names.map((name) => describe(name, index)).toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
}

const parse = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)

function describe(name: string, file: ts.SourceFile): Export {
  const declarations = file.statements.filter((statement) => declares(statement, name))
  if (declarations.length === 0) return describe(name, parse(originOf(name, file)))
  const docs = declarations.flatMap((each) => ts.getJSDocCommentsAndTags(each).filter(ts.isJSDoc))
  return {
    name,
    signature: declarations.map(signatureOf).join('\n'),
    about: docs.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '').join('\n\n'),
  }
}

/** The file from which this one has a name that it exports. */
function originOf(name: string, file: ts.SourceFile): string {
  for (const statement of file.statements) {
    if (!namesIn(statement).some((each) => each.name.text === name)) continue
    const { moduleSpecifier } = statement as ts.ExportDeclaration | ts.ImportDeclaration
    if (moduleSpecifier === undefined) continue
    return join(dirname(file.fileName), (moduleSpecifier as ts.StringLiteral).text.replace(/\.ts$/, '.d.ts'))
  }
  throw new Error(`${file.fileName} has no ${name}.`)
}

/** The names between the braces of an import or an export. */
function namesIn(statement: ts.Statement): readonly (ts.ExportSpecifier | ts.ImportSpecifier)[] {
  const names = ts.isExportDeclaration(statement)
    ? statement.exportClause
    : ts.isImportDeclaration(statement)
      ? statement.importClause?.namedBindings
      : undefined
  return names !== undefined && (ts.isNamedExports(names) || ts.isNamedImports(names)) ? [...names.elements] : []
}

function declares(statement: ts.Statement, name: string): boolean {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.some((each) => each.name.getText() === name)
  }
  return (statement as ts.DeclarationStatement).name?.getText() === name
}

const signatureOf = (statement: ts.Statement): string =>
  statement
    .getText()
    .replace(/^export (?:declare )?/, '')
    .replaceAll(/^(?: {4})+/gm, (indent) => indent.slice(indent.length / 2))
