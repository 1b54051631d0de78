// The service with one condition taken out: each of these must be noticed by the comparison. A mutant is a change of one file,
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of sources
// of text that stands in it exactly once.

export interface Mutant {
  readonly file: string
  readonly find: string
  readonly replace: string
}

const mutantsOf = (file: string, changes: readonly (readonly [find: string, replace: string])[]): readonly Mutant[] =>
  changes.map(([find, replace]) => ({ file, find, replace }))

const always = "{ is: 'always' }"

export const mutants: readonly Mutant[] = [
  ...mutantsOf('src/store/sql/condition.ts', [
    ["const test = `${column(condition.column)} = ${sql.parameter({ from: 'actor' })}`", "const test = 'true'"],
    [
      "const test = `${column(condition.column)} = ${sql.parameter({ from: 'constant', value })}`",
      "const test = 'true'",
    ],
    [
      "return `(${column(condition.column)} is not null and ${column(condition.column)} = ${sql.parameter({ from: 'code' })})`",
      "return 'true'",
    ],
    ['return `${column(condition.column)} is not null`', "return 'true'"],
    ['return `${column(condition.column)} is null`', "return 'true'"],
    ["const test = inner.is === 'always' ? '' : ` and ${conditionSql(inner, other, sql)}`", "const test = ''"],
    ['const living = `${other}."id" = ${column(relation.column)} and ', 'const living = `'],
    [
      'return `exists (select 1 from ${quote(relation.target.table)} ${other} where ${living}${test})`',
      "return 'true'",
    ],
    ['return someSql(condition.relation, condition.condition, alias, sql)', "return 'true'"],
    ['return comparisonSql(condition, alias, sql)', "return 'true'"],
    ['return `not (${conditionSql(condition.of, alias, sql)})`', "return 'true'"],
    ["return `(${condition.of.map((each) => conditionSql(each, alias, sql)).join(' or ')})`", "return 'true'"],
    ["return `(${condition.of.map((each) => conditionSql(each, alias, sql)).join(' and ')})`", "return 'true'"],
    [".join(' and ')})`", ".join(' or ')})`"],
    ['const living = livingSql(condition, other, sql)', "const living = 'true'"],
    ['const living = livingSql(condition, other, sql)', `const living = livingSql(${always}, other, sql)`],
    ['where ${other}.${quote(relation.by.column.name)} = ${holder}."id" and ${living})`', 'where ${living})`'],
    ['where ${link}."${mine}_id" = ${holder}."id" and ${living})`', 'where ${living})`'],
    ["relation.side === 'source' ? ['source', 'target'] : ['target', 'source']", "['target', 'source']"],
    ["const test = condition.is === 'always' ? '' : ` and ${conditionSql(condition, alias, sql)}`", "const test = ''"],
    ['return `${alias}."deleted_at" is null${test}`', 'return `true${test}`'],
  ]),
  ...mutantsOf('src/store/sql/comparison.ts', [
    ["atLeast: '>='", "atLeast: '<='"],
    ['return `${alias}.${quote(operand.column.name)}`', 'return `${alias}.${quote(column.name)}`'],
  ]),
  ...mutantsOf('src/store/sql/list.ts', [
    ['const tests = [`${alias}."deleted_at" is null`]', "const tests = ['true']"],
    ["if (condition.is !== 'always') tests.push(conditionSql(condition, alias, sql))", ''],
    [
      'condition: led?.condition ?? each, alias, within }\n    const rows',
      `condition: ${always}, alias, within }\n    const rows`,
    ],
    [
      'orderedRows({ shape: part, condition: each, alias, within }, sql)',
      `orderedRows({ shape: part, condition: ${always}, alias, within }, sql)`,
    ],
    [
      'const keys = scopedKeys(shape, condition, within, sql)\n  return sql.dialect',
      `const keys = scopedKeys(shape, ${always}, within, sql)\n  return sql.dialect`,
    ],
    [
      'pageRows({ shape, condition, alias, within: withinOf(relation, own) }, own, joins)',
      `pageRows({ shape, condition: ${always}, alias, within: withinOf(relation, own) }, own, joins)`,
    ],
    [
      'pageRows({ shape, condition, alias, within }, sql)',
      `pageRows({ shape, condition: ${always}, alias, within }, sql)`,
    ],
  ]),
  ...mutantsOf('src/store/sql/rule-lead.ts', [
    ['`${livingSql(some.condition, other, sql)} and ${named}."deleted_at" is null`', '`${named}."deleted_at" is null`'],
    ['rest: allOf(condition.of.with(at, lead.rest))', 'rest: lead.rest'],
    ['rest: some === inner ? always : condition', 'rest: always'],
  ]),
  ...mutantsOf('src/store/sql/record.ts', [
    ['const living = livingSql(condition, alias, sql)', "const living = 'true'"],
    ['const living = livingSql(condition, alias, sql)', `const living = livingSql(${always}, alias, sql)`],
    ['from ${from} where ${livingSql(condition, alias, sql)}`', 'from ${from}`'],
    [
      'from ${from} where ${livingSql(condition, alias, sql)}`',
      `from \${from} where \${livingSql(${always}, alias, sql)}\``,
    ],
  ]),
  ...mutantsOf('src/store/sql/join.ts', [
    ['and ${livingSql(condition, alias, sql)}`', '`'],
    ['and ${livingSql(condition, alias, sql)}`', `and \${livingSql(${always}, alias, sql)}\``],
  ]),
  ...mutantsOf('src/store/sql/write.ts', [['`(${conditionSql(condition, alias, sql)})`', "'(true)'"]]),
  ...mutantsOf('src/read-plan/columns.ts', [['`(${conditionSql(expression, alias, sql)})`', "'(true)'"]]),
  ...mutantsOf('src/read-plan/list-access.ts', [
    [
      "const rule = resource.protect.get(field)?.read\n  return rule === undefined || fold(rule, resource, actor).is === 'always'",
      'return true',
    ],
  ]),
  ...mutantsOf('src/action/load.ts', [['return row === undefined || !isTrue(row[2]!)', 'return row === undefined']]),
  ...mutantsOf('src/action/reference.ts', [
    [
      'row === undefined || !reference.rules.every((rule) => isTrue(row[2 + rules.indexOf(rule)]!))',
      'row === undefined',
    ],
    ['[target.read.allow, ...(into === undefined ? [] : [into])]', '(into === undefined ? [] : [into])'],
  ]),
  ...mutantsOf('src/action/idempotency.ts', [['...principalOf(actor), method', 'method']]),
  ...mutantsOf('src/resource/model/readability.ts', [['return isProven ? always : condition', 'return always']]),
  ...mutantsOf('src/read-plan/compile.ts', [
    ['present !== false ? [disclosureCondition(resource, relation, this.#actor)] : []', 'present !== false ? [] : []'],
    ['const readable = this.#listCondition(list)', 'const readable = always'],
    ['recordSql(resource, this.#readable(resource), ()', 'recordSql(resource, always, ()'],
    ['const condition = this.#isScoped ? this.#readable(resource) : always', 'const condition = always'],
    ['const condition = this.#listCondition(list)', 'const condition = always'],
  ]),
  ...mutantsOf('src/event/event-reader.ts', [
    ['holds(fold(resource.read.allow, resource, actor), shownBy(actor))', 'true'],
  ]),
]
