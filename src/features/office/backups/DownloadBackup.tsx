import { Button, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '~/client/api'
import { accepted, confirmFields, confirmWithCodeFields } from '~/features/office/sessions/session'
import { useSay } from '~/shared/say'
import { Dialog } from '~/ui/Dialog'
import { FieldForm } from '~/ui/FieldForm'

type Props = { id: string; name: string; needsCode: boolean }

/** Asks for the password, and the second factor if it is on, before all records leave the server. */
export function DownloadBackup({ id, name, needsCode }: Props) {
  const say = useSay()
  const [isOpen, setIsOpen] = useState(false)
  const download = async (values: { password: string; code?: string }) => {
    const { ticket } = accepted(await api.backups.download({ id, ...values }))
    setIsOpen(false)
    // sent as an attachment: the screen stays
    window.location.assign(`/api/backups/${id}?ticket=${encodeURIComponent(ticket)}`)
  }
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconDownload size={14} aria-hidden />}
        aria-label={say({ key: 'backups.downloadOne', values: { name } })}
        onClick={() => setIsOpen(true)}
      >
        {say('backups.download')}
      </Button>
      {isOpen && (
        <Dialog
          onClose={() => setIsOpen(false)}
          title={say({ key: 'backups.downloadOne', values: { name } })}
          closeButtonProps={{ 'aria-label': say('common.close') }}
        >
          <Stack gap="md">
            <Text size="sm">{say('backups.confirmText')}</Text>
            <FieldForm
              fields={needsCode ? confirmWithCodeFields : confirmFields}
              submit="backups.download"
              onSubmit={download}
            />
          </Stack>
        </Dialog>
      )}
    </>
  )
}
