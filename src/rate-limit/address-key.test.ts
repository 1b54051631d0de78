import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressKey } from './address-key.ts'

const rows: readonly [address: string, key: string][] = [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.2', '192.0.2.2'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
  ['2001:0db8:0000:0001::', '2001:db8:0:1::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['fe80::2%eth1', 'fe80:0:0:0::/64'],
  ['', ''],
  ['not:an:address', 'not:an:address'],
]

for (const [address, key] of rows) {
  test(`8.3.3 '${address}' is counted as '${key}'`, () => assert.equal(addressKey(address), key))
}
