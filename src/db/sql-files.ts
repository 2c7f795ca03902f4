import { createHash } from 'node:crypto'

/** File path or name -> SQL. */
export type SqlFiles = Record<string, string>

/** What one version of Sanad brings: tables and data; functions, triggers and views. */
export type Version = { migrations: SqlFiles; schema: SqlFiles }

export type Step = { name: string; checksum: string; sql: string }

/** The files in the order of their names. */
export function inOrder(files: SqlFiles): Step[] {
  return Object.entries(files)
    .map(([path, text]) => {
      const sql = text.replaceAll('\r\n', '\n') // a checkout on Windows is the same file
      const name = path.replace(/^.*\//, '').replace(/\.sql$/, '')
      return { name, sql, checksum: checksumOf(sql) }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

export const checksumOf = (text: string) => createHash('sha256').update(text).digest('hex')
