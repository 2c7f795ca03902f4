import { createHash } from 'node:crypto'

/** File path or name -> SQL. */
export type SqlFiles = Record<string, string>

/** What one version of Sanad brings: tables and data; functions, triggers and views. */
export type SqlVersion = { migrations: SqlFiles; schema: SqlFiles }

export type SqlStep = { name: string; checksum: string; sql: string }

/** The files in the order of their names. */
export function toSqlSteps(files: SqlFiles): SqlStep[] {
  return Object.entries(files)
    .map(([path, text]) => {
      const sql = text.replaceAll('\r\n', '\n') // a checkout on Windows is the same file
      const name = path.replace(/^.*\//, '').replace(/\.sql$/, '')
      return { name, sql, checksum: sqlChecksum(sql) }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

export const sqlChecksum = (text: string) => createHash('sha256').update(text).digest('hex')
