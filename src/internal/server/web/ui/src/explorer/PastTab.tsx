import { HistoryTab } from "../history/HistoryTab";
import { Masked, type MaskedProps } from "./Masked";

type Props = Omit<MaskedProps, "always" | "children"> & { id: string; path: string; at?: string; before?: string; view?: string };

/** The history of a document. Blame shows its text, so that secrets of it, of now and then, are hidden; the versions hide their own. */
export default function PastTab({ source, kind, model, reveal, ...rest }: Props) {
  const history = <HistoryTab {...rest} />;
  if (!kind.sensitive || rest.view !== "blame") return history;
  return (
    <Masked source={source} kind={kind} model={model} reveal={reveal} always>
      {history}
    </Masked>
  );
}
