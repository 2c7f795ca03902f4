import { Alert, Button, FileButton, Group, List, Stack, Text } from '@mantine/core'
import { IconDownload, IconUpload } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { toast } from '~/ui/toast'
import type { Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { type DrugColumn, drugRecord } from '~/records/drug'
import { useSay } from '~/shared/say'
import type { Encoding } from '~/shared/text-encoding'
import { DataTable } from '~/ui/DataTable'
import { Dialog } from '~/ui/Dialog'
import { EncodingSelect } from '~/ui/EncodingSelect'
import { explain } from '~/client/explain'
import { FILE_COLUMNS } from './catalogue-file'
import { type ReadFile, readCatalogue, type Report, sendRows } from './import-file'
import { saveCsv } from './save-file'

const GARBLED: MessageKey = 'imports.reasons.garbled'

/** Imports a catalogue: shows first what would happen, then does it. */
export function DrugImport({ onClose }: { onClose: () => void }) {
  const say = useSay()
  const router = useRouter()
  const [chosen, setChosen] = useState<File | null>(null)
  /** The question is asked once the file could not be read without it. */
  const [asksEncoding, setAsksEncoding] = useState(false)
  const [encoding, setEncoding] = useState<Encoding | null>(null)
  const [file, setFile] = useState<ReadFile | null>(null)
  const [report, setReport] = useState<Report | null>(null)
  const [problem, setProblem] = useState<Message | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function attempt(work: () => Promise<void>) {
    setBusy(true)
    setProblem(null)
    try {
      await work()
    } catch (error) {
      setProblem(explain(error).text)
    } finally {
      setBusy(false)
    }
  }

  const look = (from: File, by: Encoding | null) =>
    void attempt(async () => {
      setReport(null)
      setFile(null)
      try {
        const read = await readCatalogue(from, by)
        setFile(read)
        const found = await sendRows(read, true)
        setReport(found)
        if (found.rejected.some(({ text }) => text.key === GARBLED)) setAsksEncoding(true)
      } catch (error) {
        if (explain(error).text.key.startsWith('imports.csv.')) setAsksEncoding(true)
        throw error
      }
    })

  const choose = (from: File | null) => {
    if (!from) return
    setChosen(from)
    setEncoding(null)
    setAsksEncoding(false)
    look(from, null)
  }

  const take = () =>
    void attempt(async () => {
      if (!file) return
      const { added, changed } = await sendRows(file, false)
      toast.success(say({ key: 'drugs.importDone', values: { added, changed } }))
      await router.invalidate()
      onClose()
    })

  const isUseful = report !== null && report.added + report.changed > 0
  return (
    <Dialog
      onClose={onClose}
      size="lg"
      title={say('drugs.import')}
      closeButtonProps={{ 'aria-label': say('common.close') }}
    >
      <Stack>
        <Text size="sm">{say('drugs.importText')}</Text>
        <Group gap="xs">
          <FileButton accept=".csv,text/csv" onChange={choose}>
            {(props) => (
              <Button
                {...props}
                leftSection={<IconUpload size={16} aria-hidden />}
                loading={isBusy}
                data-autofocus
              >
                {say('drugs.importChoose')}
              </Button>
            )}
          </FileButton>
          <Button
            variant="subtle"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => saveCsv(say('drugs.importTemplate'), FILE_COLUMNS.slice(1), [])}
          >
            {say('drugs.importTemplate')}
          </Button>
        </Group>
        {problem && (
          <Alert role="alert" color="red" variant="light">
            {say(problem)}
          </Alert>
        )}
        {chosen && asksEncoding && (
          <Group align="flex-end">
            <EncodingSelect value={encoding} onChange={setEncoding} />
            <Button variant="default" loading={isBusy} onClick={() => look(chosen, encoding)}>
              {say('imports.readAgain')}
            </Button>
          </Group>
        )}
        {file && report && <Outcome name={file.name} report={report} />}
        <Group justify="flex-end" gap="xs">
          {file && report && report.rejected.length > 0 && (
            <Button variant="default" onClick={() => saveRejected(file, report, say)}>
              {say('drugs.importRejectedFile')}
            </Button>
          )}
          <Button variant="default" onClick={onClose}>
            {say('common.cancel')}
          </Button>
          <Button disabled={!isUseful || isBusy} onClick={take}>
            {say('drugs.importTake')}
          </Button>
        </Group>
        {file && report && <Rejected rejected={report.rejected} />}
      </Stack>
    </Dialog>
  )
}

const SHOWN = 100
const labelOf = (field: string) =>
  field in drugRecord.fields ? drugRecord.fields[field as DrugColumn].label : { text: field }

function Outcome({ name, report }: { name: string; report: Report }) {
  const say = useSay()
  const { added, changed, unchanged, rejected } = report
  return (
    <Stack gap="xs" aria-live="polite">
      <Text fw={600}>
        <bdi>{name}</bdi>
      </Text>
      <List size="sm">
        <List.Item>{say({ key: 'drugs.importAdded', values: { count: added } })}</List.Item>
        <List.Item>{say({ key: 'drugs.importChanged', values: { count: changed } })}</List.Item>
        <List.Item>{say({ key: 'drugs.importUnchanged', values: { count: unchanged } })}</List.Item>
        <List.Item>
          {say({
            key: 'drugs.importRejected',
            values: { count: new Set(rejected.map(({ line }) => line)).size },
          })}
        </List.Item>
      </List>
    </Stack>
  )
}

/** The first rejected lines, with the error of each column. */
function Rejected({ rejected }: Pick<Report, 'rejected'>) {
  const say = useSay()
  if (rejected.length === 0) return null
  return (
    <DataTable
      label="drugs.importRejectedFile"
      empty="drugs.importRejectedFile"
      rows={rejected.slice(0, SHOWN).map((row) => ({ ...row, id: `${row.line} ${row.field}` }))}
      columns={[
        { key: 'line', card: 'value', label: 'drugs.importLine', cell: ({ line }) => line },
        {
          key: 'column',
          card: 'title',
          label: 'drugs.importColumn',
          cell: ({ field }) => say(labelOf(field)),
        },
        { key: 'reason', label: 'inventory.reason', cell: ({ text }) => say(text) },
      ]}
    />
  )
}

/** The refused lines as they were, each with its reason, to mend and to bring again. */
function saveRejected(file: ReadFile, { rejected }: Report, say: ReturnType<typeof useSay>) {
  const reasons = Map.groupBy(rejected, ({ line }) => line)
  const rows = [...reasons].map(([line, all]) => {
    const row = file.rows[line - 2] ?? {}
    const why = all.map(({ field, text }) => `${say(labelOf(field))}: ${say(text)}`).join(' ')
    return [...file.columns.map((column) => row[column] ?? ''), String(line), why]
  })
  saveCsv(
    say('drugs.importRejectedFile'),
    [...file.columns, say('drugs.importLine'), say('inventory.reason')],
    rows,
  )
}
