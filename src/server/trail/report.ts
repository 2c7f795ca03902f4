import { TRAIL_NAMES, sealText } from './trails'
import type { Fault, Verified } from './verify.server'

const count = (number: number, one: string, many: string) =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`
const entries = (number: number) => count(number, 'entry', 'entries')

/** What was verified, one line each; the last is the newest block. */
export function reportLines({ blocks, entries: sealed, removed, unsealed, newest }: Verified) {
  const lines = [
    newest
      ? `${count(blocks, 'block matches', 'blocks match')}: ${entries(sealed)} of the audit trail and the access log.`
      : 'Nothing is sealed yet.',
  ]
  if (removed.months.length)
    lines.push(
      `${entries(removed.entries)} of the access log removed by retention: ${removed.months.join(', ')}.`,
    )
  for (const trail of TRAIL_NAMES) {
    const { count: number, oldest } = unsealed[trail]
    if (number)
      lines.push(
        `Not yet sealed: ${entries(number)} of ${trail}, the oldest of ${oldest?.toISOString()}.`,
      )
  }
  if (newest)
    lines.push(
      `Newest block, sealed at ${newest.sealed_at.toISOString()}:`,
      `  ${sealText(newest)}`,
    )
  return lines
}

/** What is wrong, in one sentence that names the block. */
export function faultSentence(fault: Fault): string {
  switch (fault.is) {
    case 'entry changed':
      return `${mismatchText(fault)}: an entry was changed.`
    case 'block changed':
      return `${mismatchText(fault)}: the block itself was changed.`
    case 'entries missing':
      return `${mismatchText(fault)}: ${entries(fault.number)} missing.`
    case 'entries added':
      return `${mismatchText(fault)}: ${entries(fault.number)} added.`
    case 'blocks missing': {
      const { from, to, next } = fault
      const missing = from === to ? `Block ${from} is` : `Blocks ${from} to ${to} are`
      return `${missing} missing, before ${named(next)}.`
    }
    case 'cut off':
      return (
        `The chain was cut off: its block ${fault.no} is missing, and it ends with block ${fault.newest}. ` +
        'Restoring an older backup does this, too.'
      )
    case 'rewritten':
      return (
        `The chain was rewritten: its block ${fault.no} has another hash than the one given. ` +
        'Restoring an older backup and writing on does this, too.'
      )
    case 'hash unknown':
      return 'The chain does not contain the hash given: it was cut off before that block, or rewritten.'
  }
}

type BlockFault = Extract<Fault, { block: unknown }>

const mismatchText = ({ block }: BlockFault) =>
  `The first block that does not match is ${named(block)}`

const named = ({ no, table_name, first_at, last_at, count: number }: BlockFault['block']) =>
  `block ${no} of ${table_name} (${entries(number)}, ` +
  `from ${first_at.toISOString()} to ${last_at.toISOString()})`
