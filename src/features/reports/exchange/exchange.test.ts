import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { auditOf, test as base } from '../../../../test/harness'
import type { ReportDefinition } from '~/features/reports/cells/definition'
import { mayConnect } from './network.server'
import { definitionOfDataSet, Dhis2DataSet } from './data-set'
import { dataValuesOf, dhis2Period, targetsOf } from './data-value-set'
import { askDhis2 } from './dhis-client.server'
import { checkDhis2Server, getDhis2Server, saveDhis2Server } from './dhis-server.server'
import { exportDhis2, exportReport, reportSheet } from './export.server'
import { listCodes, saveClinicCodes, saveCodes } from './external-codes.server'
import { importDhis2, readDataSet } from './import.server'
import { sendReports } from './send-queue.server'
import { cancelSending, listSendings, sendReport } from './sendings.server'

const definition: ReportDefinition = {
  code: 'opd',
  names: { en: 'OPD' },
  period: 'month',
  axes: { sex: ['male', 'female', 'unknown'] },
  sections: [
    {
      id: 'visits',
      names: { en: 'Visits' },
      columns: { axis: 'sex', total: true },
      rows: [
        {
          id: 'all',
          names: { en: 'All' },
          measure: { count: 'visits', in: 'period' },
          dhis2: 'OPD_ALL',
        },
        { id: 'new', names: { en: 'New' }, measure: { count: 'visits', in: 'period' } },
      ],
    },
    {
      id: 'staff',
      names: { en: 'Staff' },
      rows: [{ id: 'nurses', names: { en: 'Nurses' }, measure: { manual: 'integer' } }],
    },
  ],
}

const place = { section: null, row_id: null, column_id: null, option_code: null, sends_zero: false }
const codes = [
  { ...place, code: 'DataSet0001' },
  { ...place, section: 'visits', column_id: 'male', code: 'CocMale0001' },
  { ...place, section: 'visits', column_id: 'female', code: 'CocFemale01' },
  { ...place, section: 'visits', row_id: 'all', code: 'OPD_VISITS', sends_zero: true },
  {
    ...place,
    section: 'visits',
    row_id: 'new',
    column_id: 'male',
    code: 'OPD_NEW_M',
    option_code: 'CocDefault1',
  },
  { ...place, section: 'staff', row_id: 'nurses', code: 'NURSES' },
]

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void
type Received = { method: string; url: string; authorization: string; type: string; body: unknown }

/** A DHIS2 of the documented shape: keeps what it received, and updates a value that it has. */
const test = base.extend('dhis2', async ({}, { onCleanup }) => {
  const received: Received[] = []
  const values = new Map<string, string>()
  const answers: Answer[] = []
  const imported: Answer = (request, response, body) => {
    const { period, orgUnit, dataValues } = JSON.parse(body) as {
      period: string
      orgUnit: string
      dataValues: { dataElement: string; categoryOptionCombo?: string; value: string }[]
    }
    const counts = { imported: 0, updated: 0, ignored: 0, deleted: 0 }
    const isDryRun = request.url?.includes('dryRun=true')
    for (const { dataElement, categoryOptionCombo, value } of dataValues) {
      const key = [period, orgUnit, dataElement, categoryOptionCombo].join()
      counts[values.has(key) ? 'updated' : 'imported'] += 1
      if (!isDryRun) values.set(key, value)
    }
    json(response, 200, {
      httpStatus: 'OK',
      httpStatusCode: 200,
      status: 'OK',
      message: 'Import was successful.',
      response: {
        responseType: 'ImportSummary',
        status: 'SUCCESS',
        description: 'Import process completed successfully',
        importCount: counts,
        conflicts: [],
        dataSetComplete: 'false',
      },
    })
  }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString()
      received.push({
        method: request.method ?? '',
        url: request.url ?? '',
        authorization: request.headers.authorization ?? '',
        type: request.headers['content-type'] ?? '',
        body: body && JSON.parse(body),
      })
      ;(answers.shift() ?? imported)(request, response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onCleanup(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dhis`
  return { address, received, values, answers, imported }
})

const json = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

const conflicts: Answer = (_, response) =>
  json(response, 409, {
    httpStatus: 'Conflict',
    httpStatusCode: 409,
    status: 'WARNING',
    message: 'One more conflicts encountered, please check import summary.',
    response: {
      responseType: 'ImportSummary',
      status: 'WARNING',
      importCount: { imported: 2, updated: 0, ignored: 1, deleted: 0 },
      conflicts: [
        {
          object: 'OPD_NEW_M',
          value: 'Data element not found or not accessible: `OPD_NEW_M`',
          errorCode: 'E7610',
          property: 'dataElement',
          indexes: [2],
        },
      ],
      rejectedIndexes: [2],
    },
  })

describe('a closed report', () => {
  const prepared = test.extend('closed', async ({ asUser, make, db, dhis2 }) => {
    const admin = asUser(await make.user({ role: 'super_admin' }))
    const clinic = await make.clinic()
    const report = await make.report({ ...definition })
    const run = await make.reportRun(report, {
      clinic_ids: [clinic.id],
      period: '2026-10',
      closed_at: '2026-11-05T10:00:00Z',
    })
    const cells: [string, string, string, number | null][] = [
      ['visits', 'all', 'male', 12],
      ['visits', 'all', 'female', 0],
      ['visits', 'all', 'unknown', 1],
      ['visits', 'all', 'total', 13],
      ['visits', 'new', 'male', 7],
      ['visits', 'new', 'female', 3],
      ['visits', 'new', 'unknown', 0],
      ['visits', 'new', 'total', 10],
      ['staff', 'nurses', 'value', null],
    ]
    await db
      .insertInto('report_cells')
      .values(
        cells.map(([section, row_id, column_id, value]) => ({
          run_id: run.id,
          section,
          row_id,
          column_id,
          value,
        })),
      )
      .execute()
    await saveDhis2Server(admin, { address: dhis2.address, username: 'sanad', secret: 'district' })
    await saveCodes(admin, { definitionId: report.id, codes })
    await saveClinicCodes(admin, { codes: [{ clinic_id: clinic.id, code: 'OU_559' }] })
    const asked = { code: report.code, clinic_ids: [clinic.id], period: '2026-10' }
    return { admin, clinic, report, runId: run.id, asked }
  })

  const dataValues = [
    { dataElement: 'OPD_VISITS', categoryOptionCombo: 'CocMale0001', value: '12' },
    { dataElement: 'OPD_VISITS', categoryOptionCombo: 'CocFemale01', value: '0' },
    { dataElement: 'OPD_NEW_M', categoryOptionCombo: 'CocDefault1', value: '7' },
  ]
  const whole = {
    dataSet: 'DataSet0001',
    completeDate: '2026-11-05',
    period: '202610',
    orgUnit: 'OU_559',
    dataValues,
  }

  prepared(
    'is tried out and sent exactly as documented, and its counts are kept',
    async ({ closed: { admin, runId }, db, dhis2 }) => {
      await sendReport(admin, { id: uuidv7(), runId, isDryRun: true })
      await sendReport(admin, { id: uuidv7(), runId })
      expect(await sendReports(db)).toBe(2)
      const path = '/dhis/api/dataValueSets?dataElementIdScheme=CODE&orgUnitIdScheme=CODE'
      const request = {
        method: 'POST',
        authorization: `Basic ${Buffer.from('sanad:district').toString('base64')}`,
        type: 'application/json',
        body: whole,
      }
      expect(dhis2.received).toEqual([
        { ...request, url: `${path}&dryRun=true` },
        { ...request, url: path },
      ])
      // what is optional is left out, and nothing is sent that the documentation does not name
      expect(JSON.stringify(dhis2.received[1]!.body)).toBe(JSON.stringify(whole))
      const counts = { imported: 3, updated: 0, ignored: 0, deleted: 0 }
      expect(await listSendings(admin, { runId })).toMatchObject([
        { status: 'sent', is_dry_run: false, counts, conflicts: [], attempts: 1, http_status: 200 },
        { status: 'sent', is_dry_run: true, counts },
      ])
      expect((await auditOf(db, runId)).map(({ action }) => action)).toEqual([
        'reports.send',
        'reports.send',
      ])
    },
  )

  prepared(
    'leaves with ratios as the sheet shows them, in files as in DHIS2',
    async ({ closed: { admin, runId, asked }, db, dhis2 }) => {
      const ratio = { value: 31 / 23, numerator: 31, denominator: 23 }
      // the cells of closed reports never change: this one is another run's
      const run = await db
        .selectFrom('report_runs')
        .selectAll()
        .where('id', '=', runId)
        .executeTakeFirstOrThrow()
      const id = uuidv7()
      await db
        .insertInto('report_runs')
        .values({ ...run, id, number: 2, reason: 'A ratio' })
        .execute()
      await db
        .insertInto('report_cells')
        .values({ run_id: id, section: 'visits', row_id: 'all', column_id: 'male', ...ratio })
        .execute()
      await sendReport(admin, { id: uuidv7(), runId: id })
      await sendReports(db)
      const sent = [{ ...dataValues[0], value: '1.3' }]
      expect(dhis2.received[0]!.body).toMatchObject({ dataValues: sent })
      expect((await exportDhis2(admin, asked)).set.dataValues).toEqual(sent)
      const { rows } = await reportSheet(admin, { ...asked, format: 'csv', language: 'en' })
      const lines: unknown[] = []
      for await (const line of rows) lines.push(line)
      expect(lines[0]).toEqual(['visits', 'all', 'male', 1.3, 31, 23])
    },
  )

  prepared(
    'keeps the conflicts of a refused value, and is not sent again by itself',
    async ({ closed: { admin, runId }, db, dhis2 }) => {
      dhis2.answers.push(conflicts)
      await sendReport(admin, { id: uuidv7(), runId })
      await sendReports(db)
      expect(await listSendings(admin, { runId })).toMatchObject([
        {
          status: 'rejected',
          http_status: 409,
          counts: { imported: 2, ignored: 1 },
          conflicts: [
            { object: 'OPD_NEW_M', value: 'Data element not found or not accessible: `OPD_NEW_M`' },
          ],
        },
      ])
      expect(await sendReports(db)).toBe(0)
    },
  )

  prepared(
    'is sent again after a failure that passes, without counting anything twice',
    async ({ closed: { admin, runId }, db, dhis2 }) => {
      // the values arrive, and the connection is lost before the answer
      dhis2.answers.push((request, response, body) => {
        dhis2.imported(request, { writeHead() {}, end() {} } as never, body)
        response.destroy()
      })
      dhis2.answers.push((_, response) => json(response, 502, { message: 'Bad gateway' }))
      await sendReport(admin, { id: uuidv7(), runId })
      const due = () =>
        db
          .updateTable('report_sendings')
          .set({ due_at: new Date(0) })
          .execute()
      for (const error of ['unreachable', 'server'] as const) {
        await due()
        await sendReports(db)
        expect(await listSendings(admin, { runId })).toMatchObject([{ status: 'queued', error }])
        // not before its time
        expect(await sendReports(db)).toBe(0)
      }
      await due()
      await sendReports(db)
      expect(await listSendings(admin, { runId })).toMatchObject([
        { status: 'sent', attempts: 3, error: null, counts: { imported: 0, updated: 3 } },
      ])
      expect([...dhis2.values.values()]).toEqual(['12', '0', '7'])
    },
  )

  prepared(
    'stops at a wrong password, a redirect and a page that is no answer',
    async ({ closed: { admin, runId }, db, dhis2 }) => {
      const failures: [Answer, string, number][] = [
        [(_, response) => json(response, 401, { httpStatusCode: 401 }), 'unauthorized', 401],
        [
          (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
          'redirect',
          302,
        ],
        [(_, response) => response.end('<html>Sign in</html>'), 'unreadable', 200],
      ]
      for (const [answer, error, http_status] of failures) {
        dhis2.answers.push(answer)
        await sendReport(admin, { id: uuidv7(), runId })
        await sendReports(db)
        const [last] = await listSendings(admin, { runId })
        expect(last).toMatchObject({ status: 'failed', error, http_status, attempts: 1 })
      }
      expect(dhis2.received).toHaveLength(3)
    },
  )

  prepared(
    'that waits can be cancelled, and waits only once',
    async ({ closed: { admin, runId }, db, dhis2 }) => {
      const id = uuidv7()
      await sendReport(admin, { id, runId })
      expect(await sendReport(admin, { id, runId })).toEqual({ id })
      await expect(sendReport(admin, { id: uuidv7(), runId })).rejects.toMatchObject({
        text: { key: 'sendings.alreadyQueued' },
      })
      await cancelSending(admin, { id })
      await expect(cancelSending(admin, { id })).rejects.toMatchObject({
        text: { key: 'sendings.notQueued' },
      })
      expect(await sendReports(db)).toBe(0)
      expect(dhis2.received).toEqual([])
    },
  )

  prepared(
    'is the same in CSV, in a workbook and in JSON, cell by cell',
    async ({ closed: { admin, asked, runId }, db }) => {
      expect(await exportReport(admin, { ...asked, format: 'csv', language: 'en' })).toEqual({
        total: 9,
      })
      const sheet = await reportSheet(admin, { ...asked, format: 'csv', language: 'en' } as never)
      expect(sheet.headings).toEqual([
        'section',
        'row',
        'column',
        'value',
        'numerator',
        'denominator',
      ])
      const lines: (string | number)[][] = []
      for await (const line of sheet.rows) lines.push(line)
      expect(lines).toHaveLength(9)
      expect(lines[0]).toEqual(['visits', 'all', 'male', 12, '', ''])
      expect(lines[8]).toEqual(['staff', 'nurses', 'value', '', '', ''])
      const { set, unmapped, repeated } = await exportDhis2(admin, asked)
      expect(set).toEqual(whole)
      expect(unmapped).toEqual(
        ['visits/all/unknown', 'visits/new/male', 'visits/new/female', 'visits/new/unknown'].filter(
          (at) => at !== 'visits/new/male',
        ),
      )
      expect(repeated).toEqual([])
      const inCsv = new Map(
        lines.map(([section, row, column, value]) => [
          `${section}/${row}/${column}`,
          String(value),
        ]),
      )
      const targetOf = targetsOf(codes.slice(1), new Map([['visits/all', 'OPD_ALL']]))
      const mapped = lines.flatMap(([...names]) => {
        const [section = '', row = '', column = '', value] = names.map(String)
        const target = targetOf({ section, row, column })
        return target && value !== ''
          ? [[target.dataElement, target.categoryOptionCombo, value]]
          : []
      })
      expect(mapped).toEqual(
        set.dataValues.map(({ dataElement, categoryOptionCombo, value }) => [
          dataElement,
          categoryOptionCombo,
          value,
        ]),
      )
      expect(inCsv.get('visits/all/female')).toBe('0')
      const trail = await db
        .selectFrom('audit_log')
        .select('action')
        .where('action', '=', 'reports.export')
        .where('table_name', '=', 'report_runs')
        .execute()
      expect(trail).toHaveLength(2)
      expect(runId).toBeTruthy()
    },
  )

  prepared(
    'leaves Sanad only with the right to download reports in its clinic',
    async ({ as, closed: { clinic, asked, runId } }) => {
      const counts = as('provider', { [clinic.id]: ['is_clinic_admin'] })
      const file = { ...asked, format: 'csv', language: 'en' } as const
      await expect(exportReport(counts, file)).rejects.toMatchObject({ code: 'forbidden' })
      await expect(sendReport(counts, { id: uuidv7(), runId })).rejects.toMatchObject({
        code: 'forbidden',
      })
      const both = as('provider', {
        [clinic.id]: ['is_clinic_admin', 'can_download_patient_reports'],
      })
      expect(await exportReport(both, file)).toEqual({ total: 9 })
      expect(await listSendings(both, { runId })).toEqual([])
      const elsewhere = as('provider', {
        [uuidv7()]: ['is_clinic_admin', 'can_download_patient_reports'],
      })
      await expect(listSendings(elsewhere, { runId })).rejects.toMatchObject({ code: 'not_found' })
    },
  )
})

describe('the server for reports', () => {
  test('keeps its secret, which goes only to the address that it was typed for', async ({
    as,
    db,
    dhis2,
  }) => {
    const admin = as('super_admin')
    const server = { address: `${dhis2.address}/api/`, username: null, secret: 'd2pat_1' }
    await saveDhis2Server(admin, server)
    expect(await getDhis2Server(admin, {})).toMatchObject({
      address: dhis2.address,
      hasSecret: true,
    })
    dhis2.answers.push((_, response) => json(response, 200, { name: 'Sanad' }))
    expect(await checkDhis2Server(admin, {})).toEqual({ name: 'Sanad', error: null })
    expect(dhis2.received[0]).toMatchObject({ method: 'GET', authorization: 'ApiToken d2pat_1' })
    await expect(
      saveDhis2Server(admin, { address: 'https://elsewhere.example', username: null, secret: '' }),
    ).rejects.toMatchObject({ fields: { secret: { key: 'dhis2.secretAgain' } } })
    await expect(
      saveDhis2Server(admin, { address: 'ftp://x', username: '', secret: 'a' }),
    ).rejects.toMatchObject({ fields: { address: { key: 'dhis2.addressForm' } } })
    const stored = await db.selectFrom('dhis2_server').select('sealed_secret').executeTakeFirst()
    expect(stored!.sealed_secret!.toString('latin1')).not.toContain('d2pat')
    const trail = await db.selectFrom('audit_log').select('changes').execute()
    expect(JSON.stringify(trail)).not.toContain('d2pat')
    await expect(getDhis2Server(as('admin'), {})).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('is reached over https, and without it only on the own network', () => {
    const plain = ['127.0.0.1', '10.1.2.3', '172.16.9.9', '192.168.1.5', '::1', 'fd12::1']
    const open = ['8.8.8.8', '2001:db8::1', '172.32.0.1']
    const never = [
      '169.254.169.254',
      '0.0.0.0',
      '::',
      'fe80::1',
      '224.0.0.1',
      '::ffff:169.254.169.254',
    ]
    for (const address of plain)
      expect([address, mayConnect(address, false)]).toEqual([address, true])
    for (const address of open)
      expect([mayConnect(address, false), mayConnect(address, true)]).toEqual([false, true])
    for (const address of never)
      expect([address, mayConnect(address, true)]).toEqual([address, false])
    expect(mayConnect('localhost', true)).toBe(false)
  })

  test('that does not answer in time, or at an address that is refused, is a failure', async ({
    dhis2,
  }) => {
    dhis2.answers.push(() => {})
    const server = { address: dhis2.address, username: null, secret: 'x' }
    await expect(askDhis2(server, { method: 'GET', path: '/api/me' }, 200)).rejects.toMatchObject({
      failure: 'timeout',
    })
    const metadata = { ...server, address: 'http://169.254.169.254' }
    await expect(askDhis2(metadata, { method: 'GET', path: '/' })).rejects.toMatchObject({
      failure: 'refused_address',
    })
  })
})

test('a period is written as DHIS2 does', () => {
  expect(
    ['2026-10', '2026-W42', '2026-W05', '2026-Q4', '2026', '2026-10-05'].map(dhis2Period),
  ).toEqual(['202610', '2026W42', '2026W5', '2026Q4', '2026', '20261005'])
})

test('two cells with the same codes are named, and only the first is sent', () => {
  const same = { ...place, section: 's', code: 'E', option_code: 'C' }
  const targetOf = targetsOf([
    { ...same, row_id: 'a' },
    { ...same, row_id: 'b' },
  ])
  const cell = { section: 's', column: 'value', value: 4 }
  expect(
    dataValuesOf(
      [
        { ...cell, row: 'a' },
        { ...cell, row: 'b' },
      ],
      targetOf,
    ),
  ).toEqual({
    dataValues: [{ dataElement: 'E', categoryOptionCombo: 'C', value: '4' }],
    unmapped: [],
    repeated: ['s/b/value'],
  })
})

describe('a data set of DHIS2', () => {
  const option = (id: string, name: string) => ({ id, name, code: null })
  const bySex = {
    id: 'CC000000001',
    categoryOptionCombos: [option('CocMale0001', 'Male'), option('CocFemale01', 'Female')],
  }
  const none = { id: 'CC000000000', categoryOptionCombos: [option('HllvX50cXC0', 'default')] }
  const element = (id: string, name: string, more: object = {}) => ({
    dataElement: {
      id,
      name,
      code: id.toUpperCase(),
      formName: null,
      valueType: 'INTEGER_ZERO_OR_POSITIVE',
      zeroIsSignificant: false,
      categoryCombo: none,
      ...more,
    },
  })
  const dataSet = {
    id: 'pBOMPrpg1QX',
    name: 'Mortality',
    code: 'DS_1',
    periodType: 'Monthly',
    sections: [
      { id: 'sec2', name: 'Staff', sortOrder: 2, dataElements: [{ id: 'nurses' }] },
      {
        id: 'sec1',
        name: 'Cases',
        sortOrder: 1,
        dataElements: [{ id: 'measles' }, { id: 'note' }],
      },
    ],
    dataSetElements: [
      element('measles', 'Measles', { categoryCombo: bySex, zeroIsSignificant: true }),
      element('nurses', 'Number of nurses', { formName: 'Nurses' }),
      element('note', 'Remarks', { valueType: 'LONG_TEXT' }),
      element('power', 'Electricity', { valueType: 'BOOLEAN' }),
    ],
  }

  test('becomes a report with its rows, columns and codes, and what has no cell is named', async ({
    as,
  }) => {
    const admin = as('admin')
    const id = uuidv7()
    const saved = await importDhis2(admin, { id, code: 'mortality', dataSet })
    expect(saved.skipped).toEqual(['Remarks'])
    const { definition: body, codes: stored } = await listCodes(admin, { definitionId: id })
    expect(body).toMatchObject({
      code: 'mortality',
      names: { en: 'Mortality' },
      period: 'month',
      sections: [
        {
          names: { en: 'Cases' },
          columns: { axis: 'combo-CC000000001' },
          rows: [{ id: 'MEASLES', names: { en: 'Measles' }, measure: { manual: 'integer' } }],
        },
        { names: { en: 'Staff' }, rows: [{ id: 'NURSES', names: { en: 'Nurses' } }] },
        { rows: [{ id: 'POWER', measure: { manual: 'yesno' } }] },
      ],
    })
    expect(body.axes).toEqual({
      'combo-CC000000001': [
        { id: 'Male', names: { en: 'Male' } },
        { id: 'Female', names: { en: 'Female' } },
      ],
    })
    expect(stored).toContainEqual({
      section: 'Cases',
      row_id: 'MEASLES',
      column_id: null,
      code: 'MEASLES',
      option_code: null,
      sends_zero: true,
    })
    expect(stored).toContainEqual(
      expect.objectContaining({ section: 'Cases', column_id: 'Female', code: 'CocFemale01' }),
    )
    expect(stored).toContainEqual(expect.objectContaining({ section: null, code: 'pBOMPrpg1QX' }))
    // the codes are the same after they are saved as they were read
    await saveCodes(admin, { definitionId: id, codes: stored })
    expect((await listCodes(admin, { definitionId: id })).codes).toEqual(stored)
    // every mapped cell of the import has a place to go
    const targetOf = targetsOf(stored.filter(({ section }) => section !== null))
    expect(targetOf({ section: 'Cases', row: 'MEASLES', column: 'Male' })).toEqual({
      dataElement: 'MEASLES',
      categoryOptionCombo: 'CocMale0001',
      sendsZero: true,
    })
    expect(targetOf({ section: 'Staff', row: 'NURSES', column: 'value' })).toEqual({
      dataElement: 'NURSES',
      sendsZero: false,
    })
  })

  test('is read from the configured server', async ({ as, dhis2 }) => {
    await saveDhis2Server(as('super_admin'), {
      address: dhis2.address,
      username: 'a',
      secret: 'b',
    })
    dhis2.answers.push((_, response) => json(response, 200, dataSet))
    const read = await readDataSet(as('admin'), { dataSetId: 'pBOMPrpg1QX' })
    expect(read.dataSetElements).toHaveLength(4)
    expect(dhis2.received[0]!.url).toMatch(
      /^\/dhis\/api\/dataSets\/pBOMPrpg1QX\.json\?fields=id%2C/,
    )
    await expect(readDataSet(as('admin'), { dataSetId: '../me' })).rejects.toMatchObject({
      fields: { dataSetId: { key: 'dhis2.uid' } },
    })
  })

  test('of other periods, and a file that is none, are refused', async ({ as }) => {
    const sixMonths = { ...dataSet, periodType: 'SixMonthly' }
    expect(definitionOfDataSet(Dhis2DataSet.parse(sixMonths), 'x', 'x')).toBeNull()
    const save = (given: unknown) =>
      importDhis2(as('admin'), { id: uuidv7(), code: 'mortality', dataSet: given })
    await expect(save(sixMonths)).rejects.toMatchObject({
      fields: { dataSet: { key: 'dhis2.periodType' } },
    })
    await expect(save({ name: 'x' })).rejects.toMatchObject({
      fields: { dataSet: { key: 'dhis2.noDataSet' } },
    })
  })
})
