/** The room that the picture of kinds takes until it is drawn, so that what is below it does not jump. */
export const pictureHeight = "100vh";
