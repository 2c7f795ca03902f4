import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { type Answer, json, test } from '../../../../test/dhis2-server'
import { auditOf } from '../../../../test/harness'
import type { ReportDefinition } from '~/features/reports/cells/definition'
import { mayConnect } from '~/server/network.server'
import { adxPeriod, columnCategories, readCategories } from './adx'
import { toDataValues, dhis2Period, mappedValues, buildTargetFinder } from './data-value-set'
import { askDhis2 } from './dhis-client.server'
import { checkDhis2Server, getDhis2Server, saveDhis2Server } from './dhis-server.server'
import { exportAdx, exportDhis2, exportReport, reportSheet } from './export.server'
import { saveClinicCodes, saveCodes } from './external-codes.server'
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

const place = {
  section: null,
  row_id: null,
  column_id: null,
  option_code: null,
  sends_zero: false,
  adx: null,
}
const codes = [
  { ...place, code: 'DataSet0001' },
  { ...place, section: 'visits', column_id: 'male', code: 'CocMale0001', adx: 'SEX=M' },
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
      expect(lines[0]).toEqual(['visits', 'all', 'male', 1.3, 31, 23, 'All'])
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
        'name',
      ])
      const lines: (string | number)[][] = []
      for await (const line of sheet.rows) lines.push(line)
      expect(lines).toHaveLength(9)
      expect(lines[0]).toEqual(['visits', 'all', 'male', 12, '', '', 'All'])
      expect(lines[8]).toEqual(['staff', 'nurses', 'value', '', '', '', 'Nurses'])
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
      const targetOf = buildTargetFinder(codes.slice(1), definition)
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
    'is the same in ADX, cell by cell, as a file and as it is sent',
    async ({ closed: { admin, asked, report, runId }, db, dhis2 }) => {
      const { xml, unmapped } = await exportAdx(admin, asked)
      const { set, unmapped: ofJson } = await exportDhis2(admin, asked)
      expect(unmapped).toEqual(ofJson)
      const [head, ...lines] = xml
        .replaceAll(/ exported="[^"]+"/g, '')
        .trim()
        .split('\n')
      expect(head).toBe('<?xml version="1.0" encoding="UTF-8"?>')
      expect(lines).toEqual([
        '<adx xmlns="urn:ihe:qrph:adx:2015">',
        '  <group dataSet="DataSet0001" orgUnit="OU_559" period="2026-10-01/P1M" completeDate="2026-11-05">',
        '    <dataValue dataElement="OPD_VISITS" SEX="M" value="12"/>',
        // without a code of its own: the axis and the column in capitals
        '    <dataValue dataElement="OPD_VISITS" SEX="FEMALE" value="0"/>',
        '    <dataValue dataElement="OPD_NEW_M" SEX="M" value="7"/>',
        '  </group>',
        '</adx>',
      ])
      // the JSON, the ADX and the CSV have the same values at the same places
      const inAdx = lines.flatMap((line) => {
        const [, element, value] =
          /<dataValue dataElement="([^"]+)".* value="([^"]+)"/.exec(line) ?? []
        return element ? [[element, value]] : []
      })
      expect(inAdx).toEqual(set.dataValues.map(({ dataElement, value }) => [dataElement, value]))
      const { rows } = await reportSheet(admin, { ...asked, format: 'csv', language: 'en' })
      const targetOf = buildTargetFinder(codes.slice(1), definition)
      const inCsv: unknown[] = []
      for await (const [section, row, column, value] of rows) {
        const place = { section: String(section), row: String(row), column: String(column) }
        const target = targetOf(place)
        if (target && value !== '') inCsv.push([target.dataElement, String(value)])
      }
      expect(inCsv).toEqual(inAdx)

      await sendReport(admin, { id: uuidv7(), runId, isDryRun: true, format: 'adx' })
      await sendReport(admin, { id: uuidv7(), runId, format: 'adx' })
      for (const _ of [1, 2])
        dhis2.answers.push((_, response) =>
          json(response, 200, {
            response: {
              status: 'SUCCESS',
              importCount: { imported: 3, updated: 0, ignored: 0, deleted: 0 },
            },
          }),
        )
      expect(await sendReports(db)).toBe(2)
      const address =
        '/dhis/api/dataValueSets?dataElementIdScheme=CODE&orgUnitIdScheme=CODE&dataSetIdScheme=UID'
      expect(dhis2.received.map(({ url, type }) => [url, type])).toEqual([
        [`${address}&dryRun=true`, 'application/adx+xml'],
        [address, 'application/adx+xml'],
      ])
      for (const { body } of dhis2.received)
        expect(String(body).replaceAll(/ exported="[^"]+"/g, '')).toBe(
          [head, ...lines, ''].join('\n'),
        )
      expect(await listSendings(admin, { runId })).toMatchObject([
        { status: 'sent', format: 'adx', is_dry_run: false, counts: { imported: 3 } },
        { status: 'sent', format: 'adx', is_dry_run: true },
      ])

      // categories are written as pairs, and two cells with the same ones are named
      const save = (adx: string) =>
        saveCodes(admin, {
          definitionId: report.id,
          codes: codes.map((code) => (code.column_id === 'female' ? { ...code, adx } : code)),
        })
      for (const wrong of ['M', 'SEX=', '=M', 'SEX=M; SEX=F', 'value=3', '1A=2'])
        await expect(save(wrong)).rejects.toMatchObject({
          fields: { 'codes.2.adx': { key: 'externalCodes.adxForm' } },
        })
      await save(' SEX = M ')
      expect((await exportAdx(admin, asked)).repeated).toEqual(['visits/all/female'])
      await expect(sendReport(admin, { id: uuidv7(), runId, format: 'adx' })).rejects.toMatchObject(
        { text: { key: 'sendings.sameCodes' } },
      )
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
    for (const address of [
      'http://8.8.8.8',
      'https://169.254.169.254/dhis',
      'http://[2001:db8::1]',
    ])
      await expect(
        saveDhis2Server(admin, { address, username: null, secret: 'a' }),
      ).rejects.toMatchObject({ fields: { address: { key: 'sendings.error_refused_address' } } })
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

test('a period and the categories of a column are written as ADX does', () => {
  expect(['2026-10', '2026-W42', '2026-Q4', '2026', '2026-10-05'].map(adxPeriod)).toEqual([
    '2026-10-01/P1M',
    '2026-10-12/P7D',
    '2026-10-01/P3M',
    '2026-01-01/P1Y',
    '2026-10-05/P1D',
  ])
  const crossed: ReportDefinition = {
    ...definition,
    axes: { 'age 5': [{ id: 'u5', to: 60 }], sex: ['male'], '1': [{ id: 'سنة' }] },
    sections: [{ ...definition.sections[0]!, columns: { cross: ['age 5', 'sex', '1'] } }],
  }
  expect(columnCategories(crossed, { section: 'visits', column: 'u5/male/سنة' })).toEqual({
    AGE_5: 'U5',
    SEX: 'MALE',
    _1: 'سنة',
  })
  expect(readCategories('AGEGROUP=U5; SEX=M & F')).toEqual({ AGEGROUP: 'U5', SEX: 'M & F' })
})

test('two cells with the same codes are named, and only the first is sent', () => {
  const same = { ...place, section: 's', code: 'E', option_code: 'C' }
  const targetOf = buildTargetFinder(
    [
      { ...same, row_id: 'a' },
      { ...same, row_id: 'b' },
    ],
    definition,
  )
  const cell = { section: 's', column: 'value', value: 4 }
  const { values, ...rest } = mappedValues(
    [
      { ...cell, row: 'a' },
      { ...cell, row: 'b' },
    ],
    targetOf,
  )
  expect(toDataValues(values)).toEqual([{ dataElement: 'E', categoryOptionCombo: 'C', value: '4' }])
  expect(rest).toEqual({ unmapped: [], repeated: ['s/b/value'] })
})
