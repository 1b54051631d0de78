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

/** What tenants are is said with other rules: each part of that. */
const tenantMutants: readonly Mutant[] = [
  ...mutantsOf('src/resource/model/tenant-rule.ts', [
    ['[this.#gated(anyOf(inside), definition, levels)]', '[this.plain(anyOf(inside), definition, levels)]'],
    ['...(isPermitted ? [] : [gate]), ...parts', '...parts'],
    ["const isPermitted = parts.some((each) => each.rule === 'may')", 'const isPermitted = true'],
    ['allOf([crossing, rule])', 'anyOf([crossing, rule])'],
    ['at(level, this.inside(level.tenant, roles, granted))', 'at(level, this.inside(level.tenant))'],
    [': at({ field: relation }, this.inside(tenant, roles))', ': this.#memberOf(tenant, relation)'],
    ['return (grants[pluralOf(definition)] ?? []).includes(word) ||', 'return true ||'],
    ["(grants['acrossTenants'] ?? []).includes(tenant.name)", 'tenant.name !== undefined'],
    ['...outer.map((level) => at(level, memberRule(level.tenant, { under })))', ''],
    ['...active, ...inRole]', '...inRole]'],
    ['...active, ...inRole]', '...active]'],
    ["[{ rule: 'own', relation: members.account }, ...active", "[{ rule: 'signedIn' }, ...active"],
    ["if (!this.#hasKeys || rule.rule === 'anyone') return rule", 'if (this.#hasKeys || rule.rule) return rule'],
  ]),
  ...mutantsOf('src/resource/model/tenant-definition.ts', [
    [
      "rules.allow(action.allow, definition, name === 'create' ? inTenants : levels)",
      "rules.plain(action.allow, definition, name === 'create' ? inTenants : levels)",
    ],
  ]),
  ...mutantsOf('src/resource/model/tenant-key.ts', [
    ['[allOf([at({ field: keyField(tenant) }, anyOf(grants)), isOfTenant])]', '[isOfTenant]'],
    ["allow: anyOf([read!.allow, ...inTenants('read')])", "allow: { rule: 'signedIn' }"],
    ['this.#rules.rolesWith(word, this.#keys, level.tenant)', 'this.#rules.rolesOf(level.tenant)'],
  ]),
  // That a key is of such a tenant at all need not be asked of records, whose ids are of one resource: it makes 403 come first.
  ...mutantsOf('src/resource/model/condition.ts', [
    ['if (mine!.resource === under) return always', 'return always'],
    ['|| (roles !== null && !roles.includes(mine!.role))', ''],
    ["return never\n  return { is: 'actor', column: resource.column.get('id')! }", 'return never\n  return always'],
    ["return { is: 'actor', column: resource.column.get(to[actor.tenant.resource] ?? 'id')! }", 'return always'],
    [
      'if (!Object.hasOwn(to, actor.tenant.resource)) return never',
      'if (!Object.hasOwn(to, actor.tenant.resource)) return always',
    ],
  ]),
  ...mutantsOf('src/resource/actor.ts', [["return credentialResources.has(name) ? 'FORBIDDEN' : null", 'return null']]),
]

const always = "{ is: 'always' }"

export const mutants: readonly Mutant[] = [
  ...tenantMutants,
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
    ['const living = `${other}."id" = ${sql.value(alias, relation.column.name)} and ', 'const living = `'],
    [
      'return `exists (select 1 from ${quote(relation.target.table)} ${other} where ${living}${test})`',
      "return 'true'",
    ],
    ['return someSql(condition.relation, condition.condition, alias, sql)', "return 'true'"],
    ['return comparisonSql(condition, alias, sql, conditionSql)', "return 'true'"],
    ['return `not (${conditionSql(condition.of, alias, sql)})`', "return 'true'"],
    ["return `(${condition.of.map((each) => conditionSql(each, alias, sql)).join(' or ')})`", "return 'true'"],
    ["return `(${condition.of.map((each) => conditionSql(each, alias, sql)).join(' and ')})`", "return 'true'"],
    [".join(' and ')})`", ".join(' or ')})`"],
    [
      "const living = [...sql.watching(other), livingSql(condition, other, sql)].join(' and ')",
      "const living = 'true'",
    ],
    ['livingSql(condition, other, sql)].join', `livingSql(${always}, other, sql)].join`],
    ["const test = condition.is === 'always' ? '' : ` and ${conditionSql(condition, alias, sql)}`", "const test = ''"],
    ['return `${sql.living(alias)}${test}`', 'return `true${test}`'],
  ]),
  ...mutantsOf('src/store/sql/comparison.ts', [
    ["atLeast: '>='", "atLeast: '<='"],
    ['return `${alias}.${quote(operand.column.name)}`', 'return `${alias}.${quote(column.name)}`'],
  ]),
  ...mutantsOf('src/store/sql/list-rows.ts', [
    ['const tests = [...sql.watching(alias), `${alias}."deleted_at" is null`]', "const tests = ['true']"],
    ["if (condition.is !== 'always') tests.push(conditionSql(condition, alias, sql))", ''],
  ]),
  ...mutantsOf('src/store/sql/list.ts', [
    [
      'condition: led?.condition ?? each, alias, within, isLed: led !== null }',
      `condition: ${always}, alias, within, isLed: led !== null }`,
    ],
    [
      'orderedRows({ shape: part, condition: each, alias, within }, sql)',
      `orderedRows({ shape: part, condition: ${always}, alias, within }, sql)`,
    ],
    [
      'const keys = scopedKeys({ shape, condition, within }, sql)\n  return sql.dialect',
      `const keys = scopedKeys({ shape, condition: ${always}, within }, sql)\n  return sql.dialect`,
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
  ...mutantsOf('src/store/sql/list-members.ts', [
    ["side === 'source' ? ['source', 'target'] : ['target', 'source']", "['target', 'source']"],
    ['where: `${alias}.${quote(relation.by.column.name)} = ${holder}`', "where: 'true'"],
    ['where: `${link}."${mine}_id" = ${holder}`', "where: 'true'"],
  ]),
  ...mutantsOf('src/store/sql/lead-table.ts', [
    ['const living = livingSql(some.condition, other, sql)', "const living = 'true'"],
  ]),
  ...mutantsOf('src/store/sql/rule-lead.ts', [
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
      "const rule = resource.protect.get(field)?.read\n  return rule === undefined || isService(actor) || fold(rule, resource, actor).is === 'always'",
      'return true',
    ],
  ]),
  ...mutantsOf('src/resource/model/sight.ts', [
    ['return rule === undefined ? always : fold(rule, resource, asker)', 'return always'],
    ["isOpen ? fold(target.read.allow, target, asker) : { is: 'never' }", 'always'],
  ]),
  ...mutantsOf('src/resource/model/where-condition.ts', [
    ['const inner = allOf([readable, condition])\n    return', 'const inner = condition\n    return'],
    ['isTold ? condition : allOf([readable, condition])', 'condition'],
    [
      'return allOf([valueCondition(tree.value, asker), compare(tree, asker, isDirect)])',
      'return compare(tree, asker, isDirect)',
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
    ['const readable = readableCondition(list, this.#actor)', 'const readable = always'],
    ['recordSql(resource, this.#readable(resource), ()', 'recordSql(resource, always, ()'],
    ['const condition = this.#isScoped ? this.#readable(resource) : always', 'const condition = always'],
    ['const condition = readableCondition(list, this.#actor)', 'const condition = always'],
  ]),
  ...mutantsOf('src/read-plan/scoped-list.ts', [
    ['present !== false ? [disclosureCondition(resource, relation, actor)] : []', 'present !== false ? [] : []'],
  ]),
  ...mutantsOf('src/event/event-reader.ts', [['holds(fold(rule, resource, actor), shownBy(actor))', 'true']]),
]
