// Writes src/resource/code/: the codes of ISO 4217 and the names of the IANA time zone database. What is there stays, so that no
// stored value stops being valid; what this Node and the system's time zone data know is added.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../src/resource/code')

/** Of ISO 4217, beside money: metals, units of account, funds, testing and none. Intl has no name for them. */
const special = 'BOV CHE CHW CLF COU MXV USN UYI UYW VED XAD XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(
  ' ',
)

write('currency-codes', 'currencyCodes', 'The currency codes of ISO 4217', [
  ...Intl.supportedValuesOf('currency'),
  ...special,
])
write('time-zone-names', 'timeZoneNames', 'The names of zones in the IANA time zone database', [
  ...Intl.supportedValuesOf('timeZone'),
  ...installedZones('/usr/share/zoneinfo/tzdata.zi'),
])

/** Zones and links, as the compact form of the database has them. */
function installedZones(path) {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([kind, first, second]) => (kind === 'Z' ? [first] : kind === 'L' ? [second] : []))
}

function write(file, name, title, found) {
  const path = join(folder, `${file}.ts`)
  const before = existsSync(path) ? /`([^`]*)`/.exec(readFileSync(path, 'utf8'))[1].trim().split(/\s+/) : []
  const all = [...new Set([...before, ...found])].sort()
  const lines = []
  for (const each of all) {
    const line = lines.at(-1)
    if (line === undefined || line.length + each.length > 118) lines.push(each)
    else lines[lines.length - 1] = `${line} ${each}`
  }
  const comment = `// ${title}. Made by \`npm run codes\`: they are added, and never removed.`
  const set = `export const ${name}: ReadonlySet<string> = new Set(\n  \`\n${lines.join('\n')}\n\`\n    .trim()\n    .split(/\\s+/),\n)`
  writeFileSync(path, `${comment}\n\n${set}\n`)
}
