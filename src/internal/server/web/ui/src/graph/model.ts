/** A box of a picture: what it is called, and in small letters what it is. */
export interface PictureNode {
  id: string;
  title: string;
  note: string;
  main?: boolean; // the one that the picture is about
  many?: boolean; // it stands for many
  more?: boolean; // it is connected with others that the picture leaves out
}

/** An arrow of a picture. */
export interface PictureEdge {
  from: string;
  to: string;
  label?: string;
  dashed?: boolean;
}
