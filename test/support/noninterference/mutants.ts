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
  ...mutantsOf('src/resource/model/tenant/tenant-rule.ts', [
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
  ...mutantsOf('src/resource/model/tenant/tenant-definition.ts', [
    [
      "rules.allow(action.allow, definition, name === 'create' ? inTenants : levels)",
      "rules.plain(action.allow, definition, name === 'create' ? inTenants : levels)",
    ],
  ]),
  ...mutantsOf('src/resource/model/tenant/tenant-key.ts', [
    ['[allOf([at({ field: keyField(tenant) }, anyOf(grants)), isOfTenant])]', '[isOfTenant]'],
    ['allow: anyOf([action.allow, ...inTenants(wordOf(name))])', "allow: { rule: 'signedIn' }"],
  ]),
  // That a key is of such a tenant at all need not be asked of records, whose ids are of one resource: it makes 403 come first.
  ...mutantsOf('src/resource/model/rule/condition.ts', [
    ['if (mine!.resource === under) return always', 'return always'],
    ['|| (roles !== null && !roles.includes(mine!.role))', ''],
    ["return never\n  return { is: 'actor', column: resource.column.get('id')! }", 'return never\n  return always'],
    ["return { is: 'actor', column: resource.column.get(to[actor.tenant.resource] ?? 'id')! }", 'return always'],
    [
      'if (!Object.hasOwn(to, actor.tenant.resource)) return never',
      'if (!Object.hasOwn(to, actor.tenant.resource)) return always',
    ],
  ]),
  ...mutantsOf('src/resource/actor.ts', [["return isCredential ? 'FORBIDDEN' : null", 'return null']]),
]

const always = "{ is: 'always' }"

export const mutants: readonly Mutant[] = [
  ...tenantMutants,
  ...mutantsOf('src/store/sql/condition/condition.ts', [
    ["const test = `${column(condition.column)} = ${sql.parameter({ from: 'actor' })}`", "const test = 'true'"],
    [
      "const test = `${column(condition.column)} = ${sql.parameter({ from: 'constant', value })}`",
      "const test = 'true'",
    ],
    [
      'return `(${token} is not null and ${condition.isAmong ? sql.dialect.amongParts(token, code) : `${token} = ${code}`})`',
      "return 'true'",
    ],
    ['return `${column(condition.column)} is not null`', "return 'true'"],
    ['return `${column(condition.column)} is null`', "return 'true'"],
    ["const test = inner.is === 'always' ? '' : ` and ${conditionSql(inner, other, sql)}`", "const test = ''"],
    ['const notDeleted = `${other}."id" = ${sql.value(alias, relation.column.name)} and ', 'const notDeleted = `'],
    [
      'return `exists (select 1 from ${quote(relation.target.table)} ${other} where ${notDeleted}${test})`',
      "return 'true'",
    ],
    ['return someSql(condition.relation, condition.condition, alias, sql)', "return 'true'"],
    ['return comparisonSql(condition, alias, sql, conditionSql)', "return 'true'"],
    ['return `not (${conditionSql(condition.of, alias, sql)})`', "return 'true'"],
    ["return `(${condition.of.map((each) => conditionSql(each, alias, sql)).join(' or ')})`", "return 'true'"],
    ["return `(${condition.of.map((each) => conditionSql(each, alias, sql)).join(' and ')})`", "return 'true'"],
    [".join(' and ')})`", ".join(' or ')})`"],
    [
      "const notDeleted = [...sql.watching(other), notDeletedSql(condition, other, sql)].join(' and ')",
      "const notDeleted = 'true'",
    ],
    ['notDeletedSql(condition, other, sql)].join', `notDeletedSql(${always}, other, sql)].join`],
    ["const test = condition.is === 'always' ? '' : ` and ${conditionSql(condition, alias, sql)}`", "const test = ''"],
    ['return `${sql.notDeleted(alias)}${test}`', 'return `true${test}`'],
    ['const notDeleted = notDeletedSql(some.condition, other, sql)', "const notDeleted = 'true'"],
  ]),
  ...mutantsOf('src/store/sql/condition/comparison.ts', [
    ["atLeast: '>='", "atLeast: '<='"],
    ['return `${alias}.${quote(operand.column.name)}`', 'return `${alias}.${quote(column.name)}`'],
  ]),
  ...mutantsOf('src/store/sql/list/list-rows.ts', [
    ['const tests = [...sql.watching(alias), `${alias}."deleted_at" is null`]', "const tests = ['true']"],
    ["if (condition.is !== 'always') tests.push(listConditionSql(condition, alias, sql))", ''],
    [
      'rowsSql({ shape, condition, alias, within, isDriven: driven !== null }, sql)',
      `rowsSql({ shape, condition: ${always}, alias, within, isDriven: driven !== null }, sql)`,
    ],
  ]),
  ...mutantsOf('src/store/sql/list/list.ts', [
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
  ...mutantsOf('src/store/sql/condition/list-members.ts', [
    ["side === 'source' ? ['source', 'target'] : ['target', 'source']", "['target', 'source']"],
    ['where: `${alias}.${quote(relation.by.column.name)} = ${holder}`', "where: 'true'"],
    ['where: `${link}."${mine}_id" = ${holder}`', "where: 'true'"],
  ]),
  ...mutantsOf('src/store/sql/condition/driving-table.ts', [
    ['rest: allOf(condition.of.with(at, drivingTable.rest))', 'rest: drivingTable.rest'],
    ['rest: some === inner ? always : condition', 'rest: always'],
  ]),
  ...mutantsOf('src/store/sql/list/record.ts', [
    ['const notDeleted = notDeletedSql(condition, alias, sql)', "const notDeleted = 'true'"],
    [
      'const notDeleted = notDeletedSql(condition, alias, sql)',
      `const notDeleted = notDeletedSql(${always}, alias, sql)`,
    ],
    ['from ${from} where ${notDeletedSql(condition, alias, sql)}`', 'from ${from}`'],
    [
      'from ${from} where ${notDeletedSql(condition, alias, sql)}`',
      `from \${from} where \${notDeletedSql(${always}, alias, sql)}\``,
    ],
  ]),
  ...mutantsOf('src/store/sql/list/join.ts', [
    ['and ${notDeletedSql(condition, alias, sql)}`', '`'],
    ['and ${notDeletedSql(condition, alias, sql)}`', `and \${notDeletedSql(${always}, alias, sql)}\``],
  ]),
  ...mutantsOf('src/store/sql/write/write.ts', [['`(${conditionSql(condition, alias, sql)})`', "'(true)'"]]),
  ...mutantsOf('src/read-plan/columns.ts', [['`(${conditionSql(expression, alias, sql)})`', "'(true)'"]]),
  ...mutantsOf('src/read-plan/list-access.ts', [
    [
      "const rule = resource.protect.get(field)?.read\n  return rule === undefined || isService(actor) || fold(rule, resource, actor).is === 'always'",
      'return true',
    ],
  ]),
  ...mutantsOf('src/resource/model/rule/visible-value.ts', [
    ['return rule === undefined ? always : fold(rule, resource, caller)', 'return always'],
    ["isOpen ? fold(target.read.allow, target, caller) : { is: 'never' }", 'always'],
  ]),
  ...mutantsOf('src/resource/model/rule/where-condition.ts', [
    ['const inner = allOf([readable, condition])\n    if', 'const inner = condition\n    if'],
    ['isAlwaysReadable ? condition : allOf([readable, condition])', 'condition'],
    [
      'return allOf([valueCondition(tree.value, caller), compare(tree, caller, isDirect)])',
      'return compare(tree, caller, isDirect)',
    ],
  ]),
  ...mutantsOf('src/action/row/load.ts', [
    ['return row === undefined || !isTrue(row[2]!)', 'return row === undefined'],
  ]),
  ...mutantsOf('src/action/target/reference.ts', [
    ['row === undefined || !isOpen(reference)', 'row === undefined'],
    ['[target.read.allow, ...(into === undefined ? [] : [into])]', '(into === undefined ? [] : [into])'],
  ]),
  ...mutantsOf('src/action/row/idempotency.ts', [['...principalOf(actor), method', 'method']]),
  ...mutantsOf('src/resource/model/rule/readability.ts', [['return isProven ? always : condition', 'return always']]),
  ...mutantsOf('src/read-plan/compile.ts', [
    ['const readable = readableCondition(list, this.#actor)', 'const readable = always'],
    ['recordSql(resource, this.#readable(resource), ()', 'recordSql(resource, always, ()'],
    ['const condition = this.#isScoped ? this.#readable(resource) : always', 'const condition = always'],
    ['const condition = readableCondition(list, this.#actor)', 'const condition = always'],
  ]),
  ...mutantsOf('src/read-plan/scoped-list.ts', [
    ['present !== false ? [idCondition(resource, relation, actor)] : []', 'present !== false ? [] : []'],
  ]),
  // What a key may not read, by its scopes.
  ...mutantsOf('src/read-plan/plain-plan.ts', [
    ["branches.map(({ target }) => credentialRefusal(actor, 'read', target))", 'branches.map(() => null)'],
    ["credentialRefusal(actor, 'read', part.relation.target) === null ? part : null", 'part'],
    ["const code = credentialRefusal(actor, 'read', target)", 'const code = null'],
  ]),
  ...mutantsOf('src/resource/model/rule/where-condition.ts', [
    ["condition.is === 'never' || credentialRefusal(caller, 'read', resource) !== null", "condition.is === 'never'"],
  ]),
  // What webhooks are sent: an event of a hidden record, and a hidden field.
  ...mutantsOf('src/webhook/hand-over.ts', [['mayRead(actor) === true', 'true']]),
  ...mutantsOf('src/webhook/attempt.ts', [
    [
      'answer(event, { actor, root:',
      "answer(event, { actor: (await import('../resource/actor.ts')).theService as never, root:",
    ],
  ]),
  ...mutantsOf('src/event/event-reader.ts', [['=== null && holds(actor)', '=== null']]),
]
