import { Alert, Button, FileInput, Group, Progress, Stack } from '@mantine/core'
import { IconDownload, IconFileTypeCsv, IconUpload } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { PickList } from '~/fields/PickList'
import { type Message, needsSignIn } from '~/shared/errors'
import { newId } from '~/shared/id'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { explainError } from '~/client/explain'
import { announceExpiry } from '~/client/expiry'
import { FILE_COLUMNS } from '~/features/medicines/drugs/catalogue-file'
import { saveCsv } from '~/features/medicines/drugs/save-file'
import { LARGEST_FILE } from './import'
import { type ListName, LISTS, needsClinic } from './lists'
import { upload } from './upload'

type Props = {
  clinics: readonly { id: string; name: string }[]
  list?: ListName
  onDone: () => void
}

/**
 * Chooses a file and a clinic, and uploads the file. The mapping is reviewed on the page of the
 * import.
 */
export function NewImport({ clinics, list: asked, onDone }: Props) {
  const say = useSay()
  const navigate = useNavigate()
  // chosen once, so that an interrupted upload continues the same import
  const [id] = useState(newId)
  const [file, setFile] = useState<File | null>(null)
  const [list, setList] = useState<ListName>(asked ?? 'patients')
  const [clinicId, setClinicId] = useState<string | null>(
    clinics.length === 1 ? clinics[0]!.id : null,
  )
  const [sent, setSent] = useState<number | null>(null)
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const [failure, setFailure] = useState<Message | null>(null)
  const lack = wasSubmitted ? ({ key: 'validation.required' } as const) : null
  const problem = file ? fileSizeProblem(file) : lack

  async function send(event: FormEvent) {
    event.preventDefault()
    setWasSubmitted(true)
    if (!file || fileSizeProblem(file) || (needsClinic(list) && !clinicId)) return
    setFailure(null)
    setSent(0)
    try {
      await upload({
        id,
        list,
        clinicId: needsClinic(list) ? clinicId : null,
        file,
        onProgress: setSent,
      })
      onDone()
      await navigate({ to: '/app/settings/imports', search: { id } })
    } catch (error) {
      setSent(null)
      if (needsSignIn(error)) return announceExpiry()
      setFailure(
        error instanceof TypeError ? { key: 'imports.uploadStopped' } : explainError(error).text,
      )
    }
  }

  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        {failure && (
          <Alert role="alert" color="red" variant="light">
            {say(failure)}
          </Alert>
        )}
        <FileInput
          label={say('imports.file')}
          placeholder={say('imports.chooseFile')}
          accept=".csv,.tsv,.txt,.xlsx,.xlsm,text/csv"
          leftSection={<IconFileTypeCsv size={18} aria-hidden />}
          value={file}
          onChange={setFile}
          error={problem && say(problem)}
          disabled={sent !== null}
          withAsterisk
          data-autofocus
        />
        <PickList
          label={say('imports.list')}
          description={say(HINTS[list] ?? 'imports.listHint')}
          data={LISTS.map((name) => ({ value: name, label: say(`imports.lists.${name}`) }))}
          value={list}
          onChange={(name) => setList(LISTS.find((known) => known === name) ?? 'patients')}
          disabled={sent !== null}
          allowDeselect={false}
          withAsterisk
        />
        {needsClinic(list) && (
          <PickList
            label={say('imports.clinic')}
            description={say('imports.clinicHint')}
            data={clinics.map((clinic) => ({ value: clinic.id, label: clinic.name }))}
            value={clinicId}
            onChange={setClinicId}
            error={wasSubmitted && !clinicId && say('registration.clinicRequired')}
            disabled={sent !== null}
            searchable
            withAsterisk
          />
        )}
        {list === 'medicines' && (
          <div>
            <Button
              variant="subtle"
              size="compact-sm"
              leftSection={<IconDownload size={16} aria-hidden />}
              onClick={() => saveCsv(say('drugs.importTemplate'), FILE_COLUMNS.slice(1), [])}
            >
              {say('drugs.importTemplate')}
            </Button>
          </div>
        )}
        {sent !== null && <Progress value={sent * 100} aria-label={say('imports.upload')} />}
        <Group>
          <Button
            type="submit"
            loading={sent !== null}
            leftSection={<IconUpload size={16} aria-hidden />}
          >
            {say('imports.upload')}
          </Button>
          {sent !== null && (
            <span aria-live="polite">
              {say({ key: 'imports.uploading', values: { percent: Math.floor(sent * 100) } })}
            </span>
          )}
        </Group>
      </Stack>
    </form>
  )
}

const HINTS: Partial<Record<ListName, MessageKey>> = {
  stock: 'imports.stockHint',
  users: 'imports.usersHint',
  appointments: 'imports.careHint',
  visits: 'imports.careHint',
  vitals: 'imports.careHint',
}

function fileSizeProblem({ size }: File): Message | null {
  if (size === 0) return { key: 'imports.emptyFile' }
  return size > LARGEST_FILE ? { key: 'imports.tooLarge' } : null
}
